import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import type { ModelDeps, OpenAiResponsesConfig } from "../model-config.ts";
import { ResponsesAssembler } from "./responses-assembler.ts";
import type { ResponsesEvent } from "./responses-event.ts";
import { toResponsesRequest } from "./responses-request.ts";

/** A model behind a server that speaks the Responses API: OpenAI, Azure, and others. */
export function createResponsesModel(config: OpenAiResponsesConfig, deps: ModelDeps): ModelPort {
  const dialect: Dialect<OpenAI, ResponsesEvent> = {
    connect: (apiKey) => connect({ ...config, apiKey, timeoutMs: longestCallMs }),
    // The raw events: the package's own helper takes a cut stream for an answer in progress.
    open: (client, { request, images, signal }) =>
      client.responses.create(toResponsesRequest(request, config, images), { signal }) as unknown as Promise<
        AsyncIterable<ResponsesEvent>
      >,
    assembler: () => new ResponsesAssembler(config.model),
  };
  return createDialectModel(dialect, config, deps);
}
