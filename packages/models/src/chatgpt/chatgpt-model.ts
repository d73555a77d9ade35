import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import { ownName, withoutOwnName } from "../logins/own-name.ts";
import { watchRefusals } from "../logins/refusal-watch.ts";
import { createTokenModel, type TokenModel, type TokenSource } from "../logins/token-model.ts";
import type { ChatGptConfig, ModelDeps, OpenAiResponsesConfig } from "../model-config.ts";
import { ResponsesAssembler } from "../openai-responses/responses-assembler.ts";
import type { ResponsesEvent } from "../openai-responses/responses-event.ts";
import { openResponse, type ResponsesHabits } from "../openai-responses/responses-model.ts";
import { toResponsesRequest } from "../openai-responses/responses-request.ts";
import { openAiApi } from "./chatgpt-config.ts";
import { createChatGptTokens } from "./chatgpt-tokens.ts";
import { planError } from "./plan-error.ts";

type WireRequest = OpenAI.Responses.ResponseCreateParamsStreaming;

const service = "chatgpt";

/** A model that is asked with somebody's ChatGPT plan. */
export function createChatGptModel(config: ChatGptConfig, deps: ModelDeps): ModelPort {
  const tokens = deps.logins === undefined ? noLogins : createChatGptTokens(config, { ...deps, logins: deps.logins });
  const habits: ResponsesHabits = { summary: true };
  return createTokenModel(tokens, (token) => modelWith(config, { token, habits }, deps));
}

const noLogins: TokenSource = {
  token: async () => {
    throw new LoginFailure("this process has no logins to models: a worker has", { kind: "auth" });
  },
};

function modelWith(
  config: ChatGptConfig,
  { token, habits }: { readonly token: string; readonly habits: ResponsesHabits },
  deps: ModelDeps,
): TokenModel {
  const { login: _login, oauth: _oauth, baseUrl = openAiApi, headers, ...remote } = config;
  const address = { baseUrl, headers };
  const model = ownName(service, config.model);
  const spoken: OpenAiResponsesConfig = { ...remote, ...address, provider: "openai-responses", apiKey: token, model };
  const { watched, isRefused } = watchRefusals<OpenAiResponsesConfig, OpenAI, ResponsesEvent>({
    connect: (apiKey) => connect({ ...address, apiKey, timeoutMs: longestCallMs }),
    dialectFor: (wanted) => ({
      open: async (client, { request, images, signal }) => {
        const body = () => ({
          ...withinLimits(toResponsesRequest(request, wanted, images, habits)),
          model: config.model,
        });
        try {
          return await openResponse(client, body, { habits, signal });
        } catch (error) {
          throw planError(error);
        }
      },
      assembler: () => withoutOwnName(new ResponsesAssembler(model), service),
    }),
    takesLimit: false,
  });
  return { model: createDialectModel(watched, spoken, deps), isRefused };
}

/**
 * What a plan allows in a request: https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations. No limit of
 * output, and tools in an item of the input, which is the first one, so that the beginning stays the same.
 */
function withinLimits({ tools = [], max_output_tokens: _limit, input = [], ...body }: WireRequest): WireRequest {
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  if (tools.length === 0) return { ...body, input: items };
  return { ...body, input: [{ type: "additional_tools", role: "developer", tools }, ...items] };
}
