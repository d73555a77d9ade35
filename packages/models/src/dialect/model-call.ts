import type { ModelEvent, ModelFailure, ModelRequest } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import type { ModelDeps, RemoteConfig } from "../model-config.ts";
import { mostChars, tooLong } from "./answer-parts.ts";
import type { AnswerEnd, Assembler, Dialect } from "./dialect.ts";
import { mayThink } from "./effort.ts";
import { type WireListener, whileHeard } from "./heard-fetch.ts";
import { toModelFailure } from "./model-failure.ts";
import { imageRefusal, type RequestImages, requestImages } from "./request-images.ts";
import { Watchdog } from "./watchdog.ts";

const defaultFirstChunkMs = 120_000;
const defaultIdleMs = 90_000;
/** Of models that may think: without a summary of their thoughts, some say nothing for three minutes before they answer. */
const defaultThinkingMs = 300_000;
/** How long usage may keep us waiting once the answer is whole. */
const usageGraceMs = 5_000;
/** A model that said it takes no pictures is not offered any for so long. */
const blindMs = 10 * 60_000;
export const longestCallMs = 15 * 60_000;
const tookTooLong = "the answer took too long";

/** What has been learnt about a model: it is shown no pictures until then. Milliseconds since 1970. */
export interface Sight {
  blindUntil: number;
}

export interface CallDeps extends ModelDeps {
  readonly sight: Sight;
  /** Texts that may appear in no message. */
  readonly secrets: readonly string[];
}

/** One request on its way: its chunks, its timers, and why it was cut short. The packages' own timeouts end at the headers. */
export class ModelCall<Client, Chunk> {
  readonly #dialect: Dialect<Client, Chunk>;
  readonly #config: RemoteConfig;
  readonly #deps: CallDeps;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #connection = new AbortController();
  readonly #assembler: Assembler<Chunk>;
  readonly #deadline: Watchdog;
  readonly #mayThink: boolean;
  #silence: Watchdog;
  #bitten: string | undefined;
  #said: string | undefined;
  #ended: unknown;
  #visible = false;
  #chars = 0;

  constructor(dialect: Dialect<Client, Chunk>, config: RemoteConfig, deps: CallDeps, signal: AbortSignal) {
    this.#dialect = dialect;
    this.#config = config;
    this.#deps = deps;
    this.#clock = deps.clock;
    this.#signal = signal;
    this.#assembler = dialect.assembler();
    this.#deadline = new Watchdog(deps.clock, longestCallMs, () => this.#bite(tookTooLong));
    this.#mayThink = mayThink(config);
    this.#silence = this.#watch(config.firstChunkMs ?? (this.#mayThink ? defaultThinkingMs : defaultFirstChunkMs));
    signal.addEventListener("abort", this.#hangUp, { once: true });
    if (signal.aborted) this.#hangUp();
  }

  async *run(client: Client, request: ModelRequest): AsyncGenerator<ModelEvent, void> {
    const stream = await this.#begin(client, request);
    let isFirst = true;
    for await (const chunk of stream) {
      for (const event of this.#assembler.add(chunk)) {
        this.#visible ||= event.type === "delta";
        this.#count(event);
        yield event;
      }
      if (isFirst) this.#silence = this.#watch(this.#idleMs);
      if (this.#assembler.isFinished) this.#silence = this.#watch(usageGraceMs);
      this.#silence.stroke();
      isFirst = false;
    }
    // An abort ends the packages' streams without a word, so a cut answer would look like a whole one.
    yield this.#cutShort() ?? this.#assembler.end();
  }

  get #idleMs(): number {
    return this.#config.idleMs ?? (this.#mayThink ? defaultThinkingMs : defaultIdleMs);
  }

  #count(event: ModelEvent): void {
    if ("text" in event) this.#chars += event.text.length;
    if (this.#chars > mostChars) throw tooLong();
  }

  /** A request that is refused because of its pictures, as far as one can tell, is made once more without them. */
  async #begin(client: Client, request: ModelRequest): Promise<AsyncIterable<Chunk>> {
    const { signal } = this.#connection;
    const { sight, log } = this.#deps;
    const open = (images: RequestImages) =>
      whileHeard(this.#listener, () => this.#dialect.open(client, { request, images, signal }));
    const isBlind = this.#clock.elapsed() < sight.blindUntil;
    const images = isBlind ? "not taken" : await requestImages(request, this.#config, this.#deps, signal);
    try {
      return await open(images);
    } catch (error) {
      const refusal = imageRefusal(error);
      if (images === "not taken" || images.size === 0 || refusal === "none") throw error;
      if (refusal === "all") sight.blindUntil = this.#clock.elapsed() + blindMs;
      log.warn({ model: this.#config.model, images: images.size, error }, "a model refused pictures");
      return await open("not taken");
    }
  }

  /** How the answer ends after an error. One that only lacked its usage is whole all the same. */
  failureOf(error: unknown): AnswerEnd {
    const facts = {
      visible: this.#visible,
      secrets: this.#deps.secrets,
      now: this.#clock.now(),
      said: this.#said,
      baseUrl: this.#config.baseUrl,
    };
    return this.#cutShort() ?? { type: "failed", error: toModelFailure(this.#ended ?? error, facts) };
  }

  close(): void {
    this.#silence.stop();
    this.#deadline.stop();
    this.#signal.removeEventListener("abort", this.#hangUp);
    this.#connection.abort("closed");
  }

  /** What the answer comes to when it did not end by itself. One that only lacked its usage is whole all the same. */
  #cutShort(): AnswerEnd | undefined {
    const failed = (
      kind: ModelFailure["kind"],
      message: string,
      more: Pick<ModelFailure, "exhausted"> = {},
    ): AnswerEnd => ({
      type: "failed",
      error: { kind, message, visible: this.#visible, ...more },
    });
    if (this.#signal.aborted) return failed("aborted", "the answer was stopped");
    if (this.#assembler.isFinished) return this.#assembler.end();
    if (this.#bitten === undefined) return undefined;
    // What thought all this time would think as long again, and be paid again: another model is asked at once, if there is one.
    const isHopeless = this.#mayThink || this.#bitten === tookTooLong;
    return failed("stalled", this.#bitten, isHopeless ? { exhausted: true } : {});
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

  /** Any byte is a sign of life, until nothing but usage is awaited. */
  readonly #listener: WireListener = {
    heard: () => {
      if (!this.#assembler.isFinished) this.#silence.stroke();
    },
    refused: (said) => {
      this.#said = said;
    },
    ended: (why) => {
      this.#ended = why;
    },
  };

  readonly #hangUp = (): void => this.#connection.abort();
}
