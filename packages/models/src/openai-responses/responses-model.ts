import type { ModelPort } from "@talaria/agent";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import type { Spoken } from "../dialect/dialect.ts";
import { createDialectModel } from "../dialect/dialect-model.ts";
import { eventsOf } from "../dialect/event-stream.ts";
import { longestCallMs } from "../dialect/model-call.ts";
import { errorIn } from "../dialect/said-error.ts";
import type { ModelDeps, OpenAiResponsesConfig } from "../model-config.ts";
import { ResponsesAssembler } from "./responses-assembler.ts";
import { type ResponsesEvent, responseDone } from "./responses-event.ts";
import { toResponsesRequest } from "./responses-request.ts";

/** What has been learnt of a server. */
export interface ResponsesHabits {
  /** Gives summaries of thoughts. */
  summary: boolean;
}

/** A model behind a server that speaks the Responses API: OpenAI, Azure, and others. */
export function createResponsesModel(config: OpenAiResponsesConfig, deps: ModelDeps): ModelPort {
  const habits: ResponsesHabits = { summary: true };
  const spoken: Spoken<OpenAiResponsesConfig, OpenAI, ResponsesEvent> = {
    connect: (apiKey) => connect({ ...config, apiKey, timeoutMs: longestCallMs }),
    dialectFor: (wanted) => ({
      open: (client, { request, images, signal }) =>
        openResponse(client, () => toResponsesRequest(request, wanted, images, habits), { habits, signal }),
      assembler: () => new ResponsesAssembler(config.model),
    }),
  };
  return createDialectModel(spoken, config, deps);
}

/**
 * An organisation that is not verified is refused summaries: `Your organization must be verified to generate reasoning summaries`,
 * with `reasoning.summary` as the parameter (openai/openai-cookbook#2271). It is asked without from then on.
 */
export async function openResponse(
  client: OpenAI,
  body: () => OpenAI.Responses.ResponseCreateParamsStreaming,
  { habits, signal }: { readonly habits: ResponsesHabits; readonly signal: AbortSignal },
): Promise<AsyncIterable<ResponsesEvent>> {
  const ask = async () => responseEventsOf(await client.responses.create(body(), { signal }).asResponse());
  try {
    return await ask();
  } catch (error) {
    const { status, message, param } = error as { status?: unknown; message?: unknown; param?: unknown };
    const isAboutSummary = /reasoning[._ ]summar/i.test(`${param} ${message}`);
    if (!habits.summary || (status !== 400 && status !== 422) || !isAboutSummary) throw error;
    habits.summary = false;
    return await ask();
  }
}

async function* responseEventsOf(response: Response): AsyncGenerator<ResponsesEvent, void> {
  for await (const { data } of eventsOf(response)) {
    if (data.trim() === "[DONE]") {
      yield responseDone;
      return;
    }
    const event = JSON.parse(data) as ResponsesEvent | null;
    if (event === null || typeof event !== "object") continue;
    // The events that end a response carry its error themselves.
    const error = event.type === undefined || event.type === "error" ? errorIn(event) : undefined;
    if (error !== undefined) throw error;
    yield event;
  }
}
