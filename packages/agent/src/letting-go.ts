import type { Clock, Log } from "@talaria/protocol";
import type { ReadyCall } from "./call-workspace.ts";
import type { CheckedCall } from "./check-call.ts";
import type { ToolResultEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";
import { toolResult } from "./tool-result.ts";

/** Nobody is kept waiting by a call for longer. */
const longMs = 10_000;
const lookEveryMs = 1_000;

export interface LettingGoDeps {
  /** Whether somebody has said something that the turn would take. Without it, every call is waited for. */
  readonly wordsWait?: () => Promise<boolean>;
  readonly tellLater?: unknown;
  readonly noteBeside?: unknown;
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  readonly log: Log;
}

interface Running {
  readonly since: number;
  readonly letGo: AbortController | undefined;
}

/**
 * Lets the calls of one batch go when people need the turn: words wait for it, and each call that runs has done so for ten seconds
 * and is one that can be let go. While one is not, letting the others go would free nobody.
 */
export class LettingGo {
  readonly #deps: LettingGoDeps;
  readonly #running = new Map<string, Running>();

  constructor(deps: LettingGoDeps) {
    this.#deps = deps;
  }

  /** A call begins. Gives the signal that lets it go. */
  begin(checked: CheckedCall): AbortSignal | undefined {
    const { clock } = this.#deps;
    const letGo = checked.status === "ready" && this.#canBeLetGo(checked) ? new AbortController() : undefined;
    this.#running.set(checked.call.callId, { since: clock.elapsed(), letGo });
    return letGo?.signal;
  }

  ended(callId: string): void {
    this.#running.delete(callId);
  }

  /** Looks until `signal` is aborted. `onLetGo` is called once, before the calls hear of it. Never rejects. */
  async watch(signal: AbortSignal, onLetGo: () => void): Promise<void> {
    const { clock, wordsWait, log } = this.#deps;
    if (wordsWait === undefined) return;
    for (let ms = longMs; ; ms = lookEveryMs) {
      await clock.sleep(ms, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (!this.#canAll) continue;
      const isNeeded = await wordsWait().catch((error: unknown) => {
        log.debug({ error }, "whether somebody waits for a turn is not known");
        return false;
      });
      if (signal.aborted) return;
      // Meanwhile another one may have begun.
      if (!isNeeded || !this.#canAll) continue;
      onLetGo();
      for (const { letGo } of this.#running.values()) letGo?.abort();
      return;
    }
  }

  #canBeLetGo({ tool, input }: ReadyCall): boolean {
    const { wordsWait, tellLater, noteBeside } = this.#deps;
    if (wordsWait === undefined || tellLater === undefined) return false;
    if (tool.beside !== undefined) return noteBeside !== undefined;
    return tool.canBeLetGo?.(input) === true;
  }

  get #canAll(): boolean {
    const latest = this.#deps.clock.elapsed() - longMs;
    const all = [...this.#running.values()];
    return all.length > 0 && all.every(({ since, letGo }) => letGo !== undefined && since <= latest);
  }
}

/** Of a call that had not begun when those before it were let go: it may build on them. */
export function notBegun(call: ToolCall): ToolResultEntry {
  const text =
    "Not run: somebody has written meanwhile, and a call before it still runs. Make it again if it is still wanted and can't do harm " +
    "while that one runs.";
  return { ...toolResult(call, text, true), nothingCame: true };
}
