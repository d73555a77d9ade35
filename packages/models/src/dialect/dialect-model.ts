import type { ModelDone, ModelEvent, ModelFailure, ModelPort, ModelRequest } from "@talaria/agent";
import { keysOf, type ModelDeps, reveal } from "../model-config.ts";
import type { Spoken } from "./dialect.ts";
import { type KeyedClient, KeyRing } from "./key-ring.ts";
import { ModelCall, type Sight } from "./model-call.ts";
import { type AskableConfig, isThoughtOnly, type MoreRoom, moreRoom } from "./more-room.ts";

/** Why there is no answer. `outputTokens`: what it took all the same, where that is known. */
interface NoAnswer {
  readonly failure: ModelFailure;
  readonly outputTokens?: number | undefined;
}

/**
 * A model behind a server that speaks this dialect. One request per stream and key, no retries, but one: a model that used up its
 * whole answer thinking is asked once more, with more room or less effort.
 */
export function createDialectModel<Config extends AskableConfig, Client, Chunk>(
  spoken: Spoken<Config, Client, Chunk>,
  config: Config,
  deps: ModelDeps,
): ModelPort {
  const sight: Sight = { blindUntil: 0 };
  const secrets = [...keysOf(config), ...Object.values(config.headers ?? {})].map(reveal);
  const ring = new KeyRing<Client>(config, deps, (apiKey) => spoken.connect(apiKey));
  const askFor = ({ config: asked, request }: MoreRoom<Config>, key: KeyedClient<Client>, signal: AbortSignal) => {
    const dialect = spoken.dialectFor(asked, request);
    return ask(key, new ModelCall(dialect, asked, { ...deps, sight, secrets }, signal), request);
  };
  const askTwice = async function* (request: ModelRequest, key: KeyedClient<Client>, signal: AbortSignal) {
    const asked = { config, request };
    const none = yield* askFor(asked, key, signal);
    if (none?.failure.kind !== "thought_only") return none?.failure;
    const room = moreRoom(asked, { ...spoken, usedTokens: none.outputTokens });
    if (room === undefined) return none.failure;
    deps.log.warn({ model: config.model, reason: room.what }, "a model used up its answer thinking and is asked again");
    // Also where nothing was shown: whoever counts what was used counts it by this.
    yield { type: "restart" } as const;
    const again = (yield* askFor(room, key, signal))?.failure;
    return again?.kind === "bad_request" ? none.failure : again;
  };
  return {
    async *stream(request, signal) {
      let failure: ModelFailure | undefined;
      for await (const key of ring.inOrder()) {
        if (failure?.visible) yield { type: "restart" };
        failure = yield* askTwice(request, key, signal);
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
): AsyncGenerator<ModelEvent, NoAnswer | undefined> {
  try {
    for await (const event of call.run(await key.client(), request)) {
      const none = event.type === "done" || event.type === "failed" ? noAnswerIn(event) : undefined;
      if (none !== undefined) return none;
      yield event.type === "done" ? allowed(event, request) : event;
    }
    return undefined;
  } catch (error) {
    const end = call.failureOf(error);
    const none = noAnswerIn(end);
    if (none === undefined && end.type === "done") yield allowed(end, request);
    return none;
  } finally {
    call.close();
  }
}

function noAnswerIn(end: ModelDone | Extract<ModelEvent, { type: "failed" }>): NoAnswer | undefined {
  if (end.type === "failed") return { failure: end.error };
  if (!isThoughtOnly(end)) return undefined;
  const message = "the answer reached its output limit before anything was said";
  return {
    failure: { kind: "thought_only", message, visible: end.message.content !== "" },
    outputTokens: end.usage?.outputTokens,
  };
}

/** Calls that were forbidden and came all the same are left out, and with them what the provider wants to see again with them. */
function allowed(done: ModelDone, { toolChoice }: ModelRequest): ModelDone {
  const { content, toolCalls } = done.message;
  if (toolChoice !== "none" || toolCalls.length === 0) return done;
  const stop = done.stop === "tool_calls" ? "end" : done.stop;
  return { ...done, message: { role: "assistant", content, toolCalls: [] }, stop };
}
