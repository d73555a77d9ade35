import type { InboundEvent, Log } from "@talaria/protocol";
import type { Outcome } from "./gate-deps.ts";

/** The same refusal of the same person in the same place is one line in so long. */
const againMs = 3_600_000;
/** So many lines a minute, of all together. */
const pace = { lines: 60, withinMs: 60_000 };
/** Refusals remembered; the one that was logged longest ago is forgotten first. */
const maxRemembered = 5_000;

/** Of what is ignored: somebody wrote to the agent and waits in vain. */
const inVain: ReadonlySet<string> = new Set(["too_old", "bot_loop", "mail_loop"]);

interface Line {
  at: number;
  /** Refusals since then that are in no line. */
  more: number;
}

/**
 * Says at `info` who got no answer where, and why, for whoever looks for the reason. Names ids, no words and no names. However many come,
 * lines are few: the next one of the same kind says how many there were.
 */
export class RefusalLog {
  readonly #log: Log;
  readonly #lines = new Map<string, Line>();
  #minute = { from: 0, lines: 0, leftOut: 0 };

  constructor(log: Log) {
    this.#log = log;
  }

  note(outcome: Outcome, { conversation, sender, id, receivedAt }: InboundEvent, reason = outcome as string): void {
    if (outcome !== "refused" && !(outcome === "ignored" && inVain.has(reason))) return;
    const { accountId, conversationId } = conversation;
    const key = JSON.stringify([accountId, conversationId, sender.userId, reason]);
    const now = Date.parse(receivedAt);
    const line = this.#lines.get(key);
    if (line !== undefined && now - line.at < againMs) line.more += 1;
    else if (this.#isInPace(now)) {
      const more = line === undefined || line.more === 0 ? {} : { more: line.more };
      this.#remember(key, now);
      this.#log.info(
        { accountId, conversationId, senderId: sender.userId, eventId: id, reason, ...more },
        "not answered",
      );
    }
  }

  #isInPace(now: number): boolean {
    if (now - this.#minute.from >= pace.withinMs || now < this.#minute.from) {
      const { leftOut } = this.#minute;
      if (leftOut > 0) this.#log.info({ leftOut }, "further messages were not answered, too many to name each");
      this.#minute = { from: now, lines: 0, leftOut: 0 };
    }
    const isInPace = this.#minute.lines < pace.lines;
    this.#minute[isInPace ? "lines" : "leftOut"] += 1;
    return isInPace;
  }

  #remember(key: string, at: number): void {
    this.#lines.delete(key);
    this.#lines.set(key, { at, more: 0 });
    const oldest = this.#lines.keys().next();
    if (this.#lines.size > maxRemembered && !oldest.done) this.#lines.delete(oldest.value);
  }
}
