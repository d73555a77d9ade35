import type { AssistantEntry, TranscriptEntry } from "../journal.ts";
import { tokensOf } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";

export interface WindowLimits {
  /** The model's window. */
  readonly windowTokens: number;
  /** What an answer may take of it. */
  readonly answerTokens: number;
}

/** A result takes at most this share of the window, or so many tokens. */
const result = { share: 1 / 8, most: 8_000, least: 200 };
/** An answer's room is at most this share of the window, whatever its limit is. */
const mostAnswerShare = 1 / 4;
/** A guess is corrected by what a server has counted of so much text at least. */
const leastCounted = 500;
const mostCorrection = 4;
/** No tokenizer counts a text as less than this share of our guess: such a count is made up, as is one above `mostCorrection` or the window. */
const leastPlausible = 1 / 5;

/** What is free behind a compression, as a share of the window, at least. */
const freeAfterwards = 0.4;
/** What may come between two compressions, as a share of the window; no more than this share of what there is beside prompt and tools. */
const distanceShare = 1 / 5;
const mostDistanceShare = 1 / 3;

/**
 * How full a turn's window is. The tokens are the server's own count of the newest request, and a guess of its answer and of what was
 * added since, corrected by what the guesses before have turned out to be. What servers count of answers is not asked: some don't count
 * all of them, and thoughts that are counted may not come back. Counts that can't be are left alone.
 */
export class WindowBudget {
  /** What every request begins with. */
  readonly fixedTokens: number;
  readonly #answerTokens: number;
  /** Of the model, whatever was refused. */
  readonly #mostTokens: number;
  #windowTokens: number;
  #correction = 1;
  /** Of what every request begins with, which one count tells for good. */
  #fixedCorrection = 1;

  constructor({ windowTokens, answerTokens }: WindowLimits, fixedTokens: number) {
    this.#windowTokens = windowTokens;
    this.#mostTokens = windowTokens;
    this.#answerTokens = answerTokens;
    this.fixedTokens = fixedTokens;
  }

  /** Goes on as whoever had the turn before: with what servers have counted and refused in it. */
  resume(history: readonly TranscriptEntry[], journal: readonly TranscriptEntry[]): void {
    const before = [...history];
    for (const entry of journal) {
      if (entry.kind === "assistant") this.learn(before, entry);
      before.push(entry);
      if (entry.kind !== "cleared" && entry.kind !== "checkpoint") continue;
      this.#windowTokens = Math.min(this.#windowTokens, entry.windowTokens ?? this.#windowTokens);
    }
  }

  /** What an answer may take. */
  get answerTokens(): number {
    return Math.min(this.#answerTokens, Math.floor(this.#windowTokens * mostAnswerShare));
  }

  get windowTokens(): number {
    return this.#windowTokens;
  }

  /** What one result may take at most. */
  get resultTokens(): number {
    return Math.max(result.least, Math.min(result.most, Math.floor(this.#windowTokens * result.share)));
  }

  /** What the next request takes. `entries`: history and journal, whole. */
  used(entries: readonly TranscriptEntry[]): number {
    const counted = this.#newestCount(entries);
    if (counted !== undefined)
      return Math.ceil(counted.tokens + tokensOf(entries.slice(counted.index)) * this.#correction);
    const fixed = this.fixedTokens * this.#fixedCorrection;
    return Math.ceil(fixed + tokensOf(visibleEntries(entries)) * this.#correction);
  }

  /** Neither an answer nor a result fits any more. */
  isFull(entries: readonly TranscriptEntry[]): boolean {
    return this.used(entries) > this.#fullTokens;
  }

  /**
   * What a request may take after a compression. Where the window was full, with a distance of some steps: in a small one the answer's
   * reserve and a result leave little between that share and what is full, each step would be compressed, and no cache would last.
   */
  lightTokens(wasFull: boolean): number {
    const light = this.#windowTokens * (1 - freeAfterwards);
    if (!wasFull) return Math.floor(light);
    const beside = Math.max(0, this.#fullTokens - this.fixedTokens) * mostDistanceShare;
    return Math.floor(Math.min(light, this.#fullTokens - Math.min(this.#windowTokens * distanceShare, beside)));
  }

  get #fullTokens(): number {
    return this.#windowTokens - this.answerTokens - this.resultTokens;
  }

  /** What each of so many results may take now. */
  roomForEach(results: number, entries: readonly TranscriptEntry[]): number {
    const free = this.#windowTokens - this.answerTokens - this.used(entries);
    const each = Math.floor(free / Math.max(1, results) / this.#correction);
    return Math.max(result.least, Math.min(this.resultTokens, each));
  }

  /** The server has counted a request that was guessed to take so much: later guesses are as much higher, never lower. */
  learn(entries: readonly TranscriptEntry[], { contextTokens }: AssistantEntry): void {
    if (contextTokens === undefined || !this.#isPlausible(contextTokens, entries)) return;
    // Whoever said that it takes less was wrong.
    if (contextTokens > this.#windowTokens) this.#windowTokens = this.#mostTokens;
    const counted = this.#newestCount(entries);
    const added = contextTokens - (counted?.tokens ?? 0);
    const guessed =
      counted === undefined
        ? this.fixedTokens + tokensOf(visibleEntries(entries))
        : tokensOf(entries.slice(counted.index));
    if (added < leastCounted || guessed === 0) return;
    const correction = Math.min(mostCorrection, added / guessed);
    this.#correction = Math.max(this.#correction, correction);
    if (counted === undefined) this.#fixedCorrection = Math.max(this.#fixedCorrection, correction);
  }

  /** A server did not take a request. Its window is what it says, or smaller than what was asked. */
  refused(entries: readonly TranscriptEntry[], windowTokens: number | undefined): void {
    const guess = Math.floor(Math.min(this.#windowTokens, this.used(entries)) * 0.9);
    this.#windowTokens = Math.max(
      1_000,
      windowTokens === undefined ? guess : Math.min(this.#windowTokens, windowTokens),
    );
  }

  /** The newest answer whose request was counted and begins as the next one does. `tokens`: of that request, without the answer. */
  #newestCount(entries: readonly TranscriptEntry[]): { readonly index: number; readonly tokens: number } | undefined {
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      const entry = entries[index];
      if (entry?.kind === "cleared" || entry?.kind === "checkpoint") return undefined;
      if (entry?.kind !== "assistant" || entry.contextTokens === undefined) continue;
      if (this.#isPlausible(entry.contextTokens, entries.slice(0, index)))
        return { index, tokens: entry.contextTokens };
    }
    return undefined;
  }

  #isPlausible(tokens: number, asked: readonly TranscriptEntry[]): boolean {
    const guess = this.fixedTokens + tokensOf(visibleEntries(asked));
    return tokens <= Math.min(this.#mostTokens, guess * mostCorrection) && tokens >= guess * leastPlausible;
  }
}
