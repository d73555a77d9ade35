import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import { ownName, withoutOwnName } from "../logins/own-name.ts";
import { watchRefusals } from "../logins/refusal-watch.ts";
import { createTokenModel, type TokenModel, type TokenSource } from "../logins/token-model.ts";
import type { ChatGptConfig, ModelDeps, OpenAiResponsesConfig } from "../model-config.ts";
import { ResponsesAssembler } from "../openai-responses/responses-assembler.ts";
import type { ResponsesEvent } from "../openai-responses/responses-event.ts";
import { toResponsesRequest } from "../openai-responses/responses-request.ts";
import { openAiApi } from "./chatgpt-config.ts";
import { createChatGptTokens } from "./chatgpt-tokens.ts";
import { planError } from "./plan-error.ts";

type WireRequest = OpenAI.Responses.ResponseCreateParamsStreaming;

const service = "chatgpt";

/** A model that is asked with somebody's ChatGPT plan. */
export function createChatGptModel(config: ChatGptConfig, deps: ModelDeps): ModelPort {
  const tokens = deps.logins === undefined ? noLogins : createChatGptTokens(config, { ...deps, logins: deps.logins });
  return createTokenModel(tokens, (token) => modelWith(config, token, deps));
}

const noLogins: TokenSource = {
  token: async () => {
    throw new LoginFailure("this process has no logins to models: a worker has", { kind: "auth" });
  },
};

function modelWith(config: ChatGptConfig, token: string, deps: ModelDeps): TokenModel {
  const { login: _login, oauth: _oauth, baseUrl = openAiApi, headers, ...remote } = config;
  const address = { baseUrl, headers };
  const model = ownName(service, config.model);
  const spoken: OpenAiResponsesConfig = { ...remote, ...address, provider: "openai-responses", apiKey: token, model };
  const spokenDialect: Dialect<OpenAI, ResponsesEvent> = {
    connect: (apiKey) => connect({ ...address, apiKey, timeoutMs: longestCallMs }),
    open: async (client, { request, images, signal }) => {
      try {
        const body = { ...withinLimits(toResponsesRequest(request, spoken, images)), model: config.model };
        const stream = await client.responses.create(body, { signal });
        return stream as unknown as AsyncIterable<ResponsesEvent>;
      } catch (error) {
        throw planError(error);
      }
    },
    assembler: () => withoutOwnName(new ResponsesAssembler(model), service),
  };
  const { dialect, isRefused } = watchRefusals(spokenDialect);
  return { model: createDialectModel(dialect, spoken, deps), isRefused };
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
