import type { ModelEvent, ModelFailure, ModelPort, ModelRequest } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import type { OpenAI } from "openai";
import { connect } from "../connect.ts";
import { type ModelDeps, type OpenAiChatConfig, reveal } from "../model-config.ts";
import { ChatAssembler } from "./chat-assembler.ts";
import type { ChatChunk } from "./chat-chunk.ts";
import { toModelFailure } from "./chat-failure.ts";
import { imageRefusal, requestImages } from "./chat-images.ts";
import { type RequestImages, toChatRequest } from "./chat-request.ts";
import { Watchdog } from "./watchdog.ts";

const defaultFirstChunkMs = 120_000;
const defaultIdleMs = 90_000;
/** How long usage may keep us waiting once the answer is whole. */
const usageGraceMs = 5_000;
/** A model that said it takes no pictures is not offered any for so long. */
const blindMs = 10 * 60_000;
const longestCallMs = 15 * 60_000;

/**
 * A model behind any server that speaks Chat Completions. One request per stream, no retries. The openai package is
 * loaded with the first request, since it takes about 35 MB.
 */
export function createOpenAiChatModel(config: OpenAiChatConfig, deps: ModelDeps): ModelPort {
  let client: Promise<OpenAI> | undefined;
  const sight: Sight = { blindUntil: 0 };
  const secrets = [config.apiKey ?? "", ...Object.values(config.headers ?? {})].map(reveal);
  return {
    async *stream(request, signal) {
      const call = new ChatCall(config, deps, sight, signal);
      try {
        client ??= connect({ ...config, timeoutMs: longestCallMs }).catch((error: unknown) => {
          client = undefined;
          throw error;
        });
        yield* call.run(await client, request);
      } catch (error) {
        yield call.failureOf(error, secrets);
      } finally {
        call.close();
      }
    },
  };
}

/** What has been learnt about a model: it is shown no pictures until then. Milliseconds since 1970. */
interface Sight {
  blindUntil: number;
}

/** One request on its way: its chunks, its timers, and why it was cut short. */
class ChatCall {
  readonly #config: OpenAiChatConfig;
  readonly #deps: ModelDeps;
  readonly #sight: Sight;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #connection = new AbortController();
  readonly #assembler: ChatAssembler;
  readonly #deadline: Watchdog;
  #silence: Watchdog;
  #bitten: string | undefined;
  #visible = false;

  constructor(config: OpenAiChatConfig, deps: ModelDeps, sight: Sight, signal: AbortSignal) {
    const { clock } = deps;
    this.#config = config;
    this.#deps = deps;
    this.#sight = sight;
    this.#clock = clock;
    this.#signal = signal;
    this.#assembler = new ChatAssembler(config.model);
    this.#deadline = new Watchdog(clock, longestCallMs, () => this.#bite("the answer took too long"));
    this.#silence = this.#watch(config.firstChunkMs ?? defaultFirstChunkMs);
    signal.addEventListener("abort", this.#hangUp, { once: true });
    if (signal.aborted) this.#hangUp();
  }

  async *run(client: OpenAI, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
    const stream = await this.#begin(client, request);
    let isFirst = true;
    for await (const chunk of stream) {
      for (const event of this.#assembler.add(chunk as unknown as ChatChunk)) {
        this.#visible ||= event.type === "delta";
        yield event;
      }
      if (isFirst) this.#silence = this.#watch(this.#config.idleMs ?? defaultIdleMs);
      if (this.#assembler.isFinished) this.#silence = this.#watch(usageGraceMs);
      this.#silence.stroke();
      isFirst = false;
    }
    // An abort ends the package's stream without a word, so a cut answer would look like a whole one.
    yield this.#cutShort() ?? this.#assembler.end();
  }

  /** A request that is refused because of its pictures, as far as one can tell, is made once more without them. */
  async #begin(client: OpenAI, request: ModelRequest) {
    const { signal } = this.#connection;
    const create = (images: RequestImages) =>
      client.chat.completions.create(toChatRequest(request, this.#config, images), { signal });
    const isBlind = this.#clock.now() < this.#sight.blindUntil;
    const images = isBlind ? "not taken" : await requestImages(request, this.#config, this.#deps, signal);
    try {
      return await create(images);
    } catch (error) {
      const refusal = imageRefusal(error);
      if (images === "not taken" || images.size === 0 || refusal === "none") throw error;
      if (refusal === "all") this.#sight.blindUntil = this.#clock.now() + blindMs;
      this.#deps.log.warn({ model: this.#config.model, images: images.size, error }, "a model refused pictures");
      return await create("not taken");
    }
  }

  failureOf(error: unknown, secrets: readonly string[]): ModelEvent {
    const facts = { visible: this.#visible, secrets, now: this.#clock.now() };
    return this.#cutShort() ?? { type: "failed", error: toModelFailure(error, facts) };
  }

  close(): void {
    this.#silence.stop();
    this.#deadline.stop();
    this.#signal.removeEventListener("abort", this.#hangUp);
    this.#connection.abort("closed");
  }

  /** What the answer comes to when it did not end by itself. One that only lacked its usage is whole all the same. */
  #cutShort(): ModelEvent | undefined {
    const failed = (kind: ModelFailure["kind"], message: string): ModelEvent => ({
      type: "failed",
      error: { kind, message, visible: this.#visible },
    });
    if (this.#signal.aborted) return failed("aborted", "the answer was stopped");
    if (this.#assembler.isFinished) return this.#assembler.end();
    return this.#bitten === undefined ? undefined : failed("stalled", this.#bitten);
  }

  /** Replaces the watchdog, when there is one, by one for another silence. */
  #watch(silenceMs: number): Watchdog {
    this.#silence?.stop();
    return new Watchdog(this.#clock, silenceMs, () => this.#bite(`the provider was silent for ${silenceMs} ms`));
  }

  #bite(reason: string): void {
    this.#bitten ??= reason;
    this.#connection.abort();
  }

  readonly #hangUp = (): void => this.#connection.abort();
}
