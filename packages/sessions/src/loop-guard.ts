import type { AccountPolicy, InboundEvent } from "@talaria/protocol";
import { wordsFor } from "@talaria/words";
import type { AdmissionReason } from "./admission-reasons.ts";

/** Conversations and senders remembered; those that were silent longest are forgotten first. */
const maxRemembered = 5_000;
/**
 * Mails of one sender that are answered within an hour. Nobody can tell for certain that a mail was written by a machine:
 * two agents would thank each other endlessly.
 */
const mail = { turns: 20, withinMs: 3_600_000 };

/** Turns for bots in one conversation within a minute and within an hour, whatever people write in between. */
const botPaces = [
  { turns: 6, withinMs: 60_000 },
  { turns: 60, withinMs: 3_600_000 },
];

/** Commands of one guest in one conversation that are answered within a minute: others wait behind the answers. */
const guestPace = { commands: 20, withinMs: 60_000 };

/** Why an event gets no turn. `isNews`: nobody was told yet. */
export interface Loop {
  readonly reason: Extract<AdmissionReason, "bot_loop" | "mail_loop">;
  readonly isNews: boolean;
  readonly notice: string;
}

interface Run {
  /** When the latest turns began, newest last. */
  readonly turns: number[];
  /** Turns for bots since a person last spoke to us. */
  inARow: number;
  isTold: boolean;
}

/** Keeps the agent and another machine from answering each other endlessly. Remembers what it counts in memory only. */
export class LoopGuard {
  readonly #runs = new Map<string, Run>();

  /** What a person says to us breaks the row of bots in that conversation; talk among others does not. */
  addressed(event: InboundEvent): void {
    const run = event.sender.role === "person" ? this.#runs.get(botKey(event)) : undefined;
    if (run === undefined) return;
    run.inARow = 0;
    run.isTold = false;
  }

  /** Asked before an event gets a turn. */
  check(event: InboundEvent, { access }: AccountPolicy): Loop | undefined {
    if (event.sender.role === "bot") {
      const run = this.#runs.get(botKey(event));
      if (run === undefined) return undefined;
      const isNews = !run.isTold;
      if (run.inARow >= access.maxBotTurns)
        return { reason: "bot_loop", isNews, notice: wordsFor(event).notices.botLimit(access.maxBotTurns) };
      const isTooFast = botPaces.some(({ turns, withinMs }) => recentOf(run, event, withinMs).length >= turns);
      return isTooFast ? { reason: "bot_loop", isNews, notice: wordsFor(event).notices.botPace } : undefined;
    }
    if (event.conversation.platform !== "email") return undefined;
    const run = this.#runs.get(mailKey(event));
    if (run === undefined || recentOf(run, event, mail.withinMs).length < mail.turns) return undefined;
    return { reason: "mail_loop", isNews: !run.isTold, notice: wordsFor(event).notices.mailLimit(mail.turns) };
  }

  /** The event has got its turn. */
  answered(event: InboundEvent): void {
    const key = keyOf(event);
    if (key !== undefined) this.#note(key, event);
  }

  #note(key: string, event: InboundEvent): void {
    const run = this.#runs.get(key) ?? { turns: [], inARow: 0, isTold: false };
    const turns = [...run.turns, arrivedAt(event)].slice(-100);
    this.#runs.delete(key);
    this.#runs.set(key, { turns, inARow: run.inARow + 1, isTold: false });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > maxRemembered && oldest !== undefined) this.#runs.delete(oldest);
  }

  /** What becomes of the answer to a guest's command. It is carried out in any case. Words: said in place of the answer, once. */
  commanded(event: InboundEvent): "answered" | "silent" | { readonly words: string } {
    const { conversation, sender } = event;
    const key = JSON.stringify(["commands", conversation.accountId, conversation.conversationId, sender.userId]);
    const run = this.#runs.get(key);
    if (run === undefined || recentOf(run, event, guestPace.withinMs).length < guestPace.commands) {
      this.#note(key, event);
      return "answered";
    }
    if (run.isTold) return "silent";
    run.isTold = true;
    return { words: wordsFor(event).notices.commandPace(guestPace.commands) };
  }

  /** The notice about the loop is committed. */
  told(event: InboundEvent): void {
    const run = this.#runs.get(keyOf(event) ?? "");
    if (run !== undefined) run.isTold = true;
  }
}

function keyOf(event: InboundEvent): string | undefined {
  if (event.sender.role === "bot") return botKey(event);
  return event.conversation.platform === "email" ? mailKey(event) : undefined;
}

function botKey({ conversation: { accountId, conversationId } }: InboundEvent): string {
  return JSON.stringify(["bots", accountId, conversationId]);
}

/** By sender: each mail may begin a conversation of its own. */
function mailKey({ conversation: { accountId }, sender }: InboundEvent): string {
  return JSON.stringify(["mail", accountId, sender.userId]);
}

function recentOf({ turns }: Run, event: InboundEvent, withinMs: number): number[] {
  // Of turns whose time lies ahead, the clock was set back since.
  return turns.filter((at) => Math.abs(arrivedAt(event) - at) < withinMs);
}

function arrivedAt({ receivedAt }: InboundEvent): number {
  return Date.parse(receivedAt);
}
