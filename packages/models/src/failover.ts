import {
  type AskedModel,
  type ModelDone,
  type ModelEvent,
  type ModelFailure,
  type ModelFailureKind,
  type ModelPort,
  withRetries,
} from "@talaria/agent";
import type { Clock, Log, SessionKey } from "@talaria/protocol";
import { probeMs, restMs } from "./rest-time.ts";
import { createLocalRests, type SharedRests } from "./shared-rests.ts";
import { StickyChoices } from "./sticky-choices.ts";
import { StatedWindows, Windows } from "./windows.ts";

export interface NamedModel {
  /** The name in the configuration. */
  readonly name: string;
  readonly model: ModelPort;
  /** What is said of it before its answer. Default: nothing. */
  readonly asked?: Omit<AskedModel, "name">;
  /** Its window. Without it, it is asked whatever a request takes. */
  readonly contextTokens?: number;
}

export interface FailoverDeps {
  readonly clock: Clock;
  /** A number from 0 up to 1, for the jitter of retries. */
  random(): number;
  readonly log: Log;
  /** Without it, this process learns from its own failures alone. */
  readonly rests?: SharedRests | undefined;
}

/** What the next model may be able to do better. Everything else is told at once: it would fail everywhere. */
const worthAnother: ReadonlySet<ModelFailureKind> = new Set([
  "auth",
  "quota",
  "rate_limit",
  "overloaded",
  "server_error",
  "network",
  "truncated",
  "stalled",
  "not_found",
  "thought_only",
  "runaway",
  "bad_request",
]);

/** What came of one request, not of the model: the next one may take it, and this one does not rest. */
const aboutTheRequest: ReadonlySet<ModelFailureKind> = new Set(["thought_only", "runaway", "bad_request"]);

/**
 * Asks the first model, and the next one when it can't answer, with the retries of `withRetries` for each. A model
 * that failed is left alone for a while: for as long as it asked, or 30 s doubling to 10 minutes. A session that another
 * model took over stays with it while that one's cache of the conversation lasts. Yields `restart` before another model
 * answers in place of one that had shown text. Every choice is logged.
 *
 * A model whose window is smaller than the request is not asked, and one that finds it too long is followed only by larger ones;
 * neither counts as its failure. The window that it states then counts for a while, so that no step asks it in vain. When nobody can take it now, the failure is `context_full` with the largest window there is.
 */
export function createFailover(models: readonly NamedModel[], deps: FailoverDeps): ModelPort {
  const { clock, log } = deps;
  const stated = new StatedWindows(clock);
  const choice = new Choice(models, deps);
  const sticky = new StickyChoices(clock);
  /** Keeps in mind what a model's failure says of it; whether to ask another one. */
  const goOn = async (model: NamedModel, failure: ModelFailure, windows: Windows) => {
    const { name } = model;
    if (failure.kind === "aborted") return false;
    if (aboutTheRequest.has(failure.kind)) {
      await choice.worked(name);
      log.warn({ model: name, code: failure.kind, reason: failure.message }, "model gave no answer");
      return true;
    }
    if (worthAnother.has(failure.kind)) {
      await choice.failed(name, failure);
      log.warn({ model: name, code: failure.kind, reason: failure.message }, "model failed and rests");
      return true;
    }
    await choice.worked(name);
    if (failure.kind !== "context_full") return false;
    windows.refused(model, failure);
    stated.note(model, failure, windows.takes);
    return true;
  };
  return {
    async *stream(request, signal) {
      let failure: ModelFailure | undefined;
      let reason = "first";
      const windows = new Windows(request, stated);
      for await (const candidate of choice.inOrder(sticky.of(request.cacheKey), windows, request.emptyFrom)) {
        const { name, model, asked, why } = candidate;
        if (failure?.visible) yield { type: "restart" };
        note(log, { model: name, sessionKey: request.cacheKey, reason: reason === "first" ? why : reason });
        if (asked !== undefined) yield { type: "asked", model: { name, ...asked } };
        failure = yield* attempt(model.stream(request, signal), ({ usage }) => {
          const counted = usage?.inputTokens ?? 0;
          stated.took(candidate, Math.min(counted, request.estimatedTokens ?? counted));
        });
        if (failure === undefined) {
          sticky.served(request.cacheKey, name, name === models[0]?.name);
          return await choice.worked(name);
        }
        reason = `${name} failed: ${failure.kind}`;
        if (!(await goOn(candidate, failure, windows))) break;
      }
      yield { type: "failed", error: { ...outcome(failure, windows), exhausted: true } };
    },
  };
}

/** When others can't be asked now, a request that is only too long can still be made shorter. */
function outcome(failure: ModelFailure | undefined, windows: Windows): ModelFailure {
  const isFinal = failure !== undefined && failure.kind !== "context_full" && !worthAnother.has(failure.kind);
  const full = isFinal ? undefined : windows.failure();
  if (full !== undefined) return { ...full, visible: failure?.visible ?? false };
  return failure ?? { kind: "bad_request", message: "no model is configured", visible: false };
}

/** The usual choice is nothing to look at. */
function note(log: Log, fields: { readonly model: string; readonly sessionKey: SessionKey; readonly reason: string }) {
  if (fields.reason === "first") log.debug(fields, "model chosen");
  else log.info(fields, "model chosen");
}

/** Hands on one model's events; returns its failure, or nothing after `done`. */
async function* attempt(
  events: AsyncIterable<ModelEvent>,
  answered: (done: ModelDone) => void,
): AsyncGenerator<ModelEvent, ModelFailure | undefined> {
  for await (const event of events) {
    if (event.type === "failed") return event.error;
    if (event.type === "done") answered(event);
    yield event;
  }
  return undefined;
}

/** Which models may be asked, and in which order. */
class Choice {
  readonly #models: readonly NamedModel[];
  readonly #rests: SharedRests;
  readonly #log: Log;
  /** Failures since the last success, as far as this process saw them. */
  readonly #failures = new Map<string, number>();

  constructor(models: readonly NamedModel[], { clock, random, log, rests }: FailoverDeps) {
    this.#models = models.map(({ model, ...named }) => ({
      ...named,
      model: withRetries(model, { clock, random, log }),
    }));
    this.#rests = rests ?? createLocalRests(clock);
    this.#log = log;
  }

  /**
   * Those that can take the request, as configured, the sticky one in front and the one whose answer was empty at the end; when all
   * rest, all of them, the one that wakes first in front.
   */
  async *inOrder(
    sticky: string | undefined,
    windows: Windows,
    emptyFrom?: string,
  ): AsyncGenerator<NamedModel & { readonly why: string }> {
    const left = await this.#ask(() => this.#rests.resting(this.#models.map(restName)), new Map<string, number>());
    const leftOf = (model: NamedModel) => left.get(restName(model)) ?? 0;
    const awake = this.#models.filter((model) => leftOf(model) === 0);
    if (awake.length === 0) {
      const byWaking = this.#models.toSorted((one, other) => leftOf(one) - leftOf(other));
      for (const model of byWaking) if (windows.fits(model)) yield { ...model, why: "all rest" };
      return;
    }
    const rank = ({ name }: NamedModel) => (name === emptyFrom ? 2 : name === sticky ? 0 : 1);
    const ordered = awake.toSorted((one, other) => rank(one) - rank(other));
    const passedBy: NamedModel[] = [];
    for (const model of ordered) {
      if (!windows.fits(model)) continue;
      const mayAsk = await this.#ask(() => this.#rests.probe(restName(model), probeMs), true);
      if (mayAsk) yield { ...model, why: this.#why(model, sticky, emptyFrom) };
      else passedBy.push(model);
    }
    for (const model of passedBy) if (windows.fits(model)) yield { ...model, why: "no other is left" };
  }

  async worked(name: string): Promise<void> {
    this.#failures.delete(name);
    await this.#ask(() => this.#rests.recovered(restName({ name })), undefined);
  }

  async failed(name: string, failure: ModelFailure): Promise<void> {
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    await this.#ask(() => this.#rests.rest(restName({ name }), restMs(failure, failures)), undefined);
  }

  #why({ name }: NamedModel, sticky: string | undefined, emptyFrom: string | undefined): string {
    if (emptyFrom !== undefined) return `${emptyFrom} gave an empty answer`;
    if (name === sticky) return "it holds the session's cache";
    return name === this.#models[0]?.name ? "first" : "those before it rest";
  }

  async #ask<T>(question: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await question();
    } catch (error) {
      this.#log.warn({ error }, "shared rests cannot be reached");
      return otherwise;
    }
  }
}

function restName({ name }: { readonly name: string }): string {
  return `model:${name}`;
}
