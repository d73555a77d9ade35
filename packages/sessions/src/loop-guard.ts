import type { InboundEvent } from "@talaria/protocol";
import { notices } from "./notices.ts";
import type { AccountPolicy } from "./policy.ts";

/** Conversations and senders remembered; those that were silent longest are forgotten first. */
const maxRemembered = 5_000;
/**
 * Mails of one sender that are answered within an hour. Nobody can tell for certain that a mail was written by a machine:
 * two agents would thank each other for ever.
 */
const mail = { turns: 20, withinMs: 3_600_000 };

/** Why an event gets no turn. `isNews`: nobody was told yet. */
export interface Loop {
  readonly reason: "bot_loop" | "mail_loop";
  readonly isNews: boolean;
  readonly notice: string;
}

interface Run {
  /** When the turns since the last word of a person began, newest last. */
  readonly turns: number[];
  isTold: boolean;
}

/** Keeps the agent and another machine from answering each other without end. Remembers what it counts in memory only. */
export class LoopGuard {
  readonly #runs = new Map<string, Run>();

  /** Any word of a person in a conversation breaks the row of bots there. */
  heard(event: InboundEvent): void {
    if (event.sender.role === "person") this.#runs.delete(botKey(event));
  }

  /** Asked before an event gets a turn. */
  check(event: InboundEvent, { access }: AccountPolicy): Loop | undefined {
    if (event.sender.role === "bot") {
      const run = this.#runs.get(botKey(event));
      if (run === undefined || run.turns.length < access.maxBotTurns) return undefined;
      return { reason: "bot_loop", isNews: !run.isTold, notice: notices.botLimit(access.maxBotTurns) };
    }
    if (event.conversation.platform !== "email") return undefined;
    const run = this.#runs.get(mailKey(event));
    if (run === undefined || recentOf(run, event).length < mail.turns) return undefined;
    return { reason: "mail_loop", isNews: !run.isTold, notice: notices.mailLimit(mail.turns) };
  }

  /** The event has got its turn. */
  answered(event: InboundEvent): void {
    const key = keyOf(event);
    if (key === undefined) return;
    const run = this.#runs.get(key) ?? { turns: [], isTold: false };
    const turns = [...(event.sender.role === "bot" ? run.turns : recentOf(run, event)), arrivedAt(event)].slice(-100);
    this.#runs.delete(key);
    this.#runs.set(key, { turns, isTold: false });
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > maxRemembered && oldest !== undefined) this.#runs.delete(oldest);
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

function recentOf({ turns }: Run, event: InboundEvent): number[] {
  return turns.filter((at) => arrivedAt(event) - at < mail.withinMs);
}

function arrivedAt({ receivedAt }: InboundEvent): number {
  return Date.parse(receivedAt);
}
