import type { ModelEvent, ModelFailure, ModelPort, ModelRequest } from "@talaria/agent";
import { keysOf, type ModelDeps, type RemoteConfig, reveal } from "../model-config.ts";
import type { Dialect } from "./dialect.ts";
import { type KeyedClient, KeyRing } from "./key-ring.ts";
import { ModelCall, type Sight } from "./model-call.ts";

/** A model behind a server that speaks this dialect. One request per stream and key, no retries. */
export function createDialectModel<Client, Chunk>(
  dialect: Dialect<Client, Chunk>,
  config: RemoteConfig & { readonly provider: string },
  deps: ModelDeps,
): ModelPort {
  const sight: Sight = { blindUntil: 0 };
  const secrets = [...keysOf(config), ...Object.values(config.headers ?? {})].map(reveal);
  const ring = new KeyRing<Client>(config, deps, (apiKey) => dialect.connect(apiKey));
  const begin = (signal: AbortSignal) => new ModelCall(dialect, config, { ...deps, sight, secrets }, signal);
  return {
    async *stream(request, signal) {
      let failure: ModelFailure | undefined;
      for await (const key of ring.inOrder()) {
        if (failure?.visible) yield { type: "restart" };
        failure = yield* ask(key, begin(signal), request);
        if (failure === undefined) return await key.worked();
        if (!(await key.failed(failure))) break;
      }
      if (failure !== undefined) yield { type: "failed", error: failure };
    },
  };
}

/** Hands on the events of one call; returns its failure, or nothing after `done`. */
async function* ask<Client, Chunk>(
  key: KeyedClient<Client>,
  call: ModelCall<Client, Chunk>,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  try {
    return yield* untilFailure(call.run(await key.client(), request));
  } catch (error) {
    const end = call.failureOf(error);
    if (end.type === "failed") return end.error;
    yield end;
    return undefined;
  } finally {
    call.close();
  }
}

async function* untilFailure(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  for await (const event of events) {
    if (event.type === "failed") return event.error;
    yield event;
  }
  return undefined;
}
