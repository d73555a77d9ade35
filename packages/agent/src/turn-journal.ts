import { isAtLeast, type Role, type Sender, type UserId } from "@talaria/protocol";
import type { AssistantEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";
import type { TurnEvent } from "./turn-event.ts";

/** An answer with the calls of it that have no result yet. */
export interface OpenAnswer {
  readonly answer: AssistantEntry;
  readonly calls: readonly ToolCall[];
}

/** The entries of one turn so far, and what can be told from them. A resumed turn knows exactly what they say. */
export class TurnJournal {
  readonly #entries: TranscriptEntry[];

  constructor(entries: readonly TranscriptEntry[]) {
    this.#entries = [...entries];
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  /** Adds entries, and gives the event that makes the reader write them before anything else happens. */
  record(entries: readonly TranscriptEntry[]): TurnEvent {
    this.add(entries);
    return { type: "journal", entries };
  }

  /** Adds entries that are already written. */
  add(entries: readonly TranscriptEntry[]): void {
    this.#entries.push(...entries);
  }

  /** How often the model has answered. */
  get steps(): number {
    return this.#entries.filter((entry) => entry.kind === "assistant").length;
  }

  /** The last answer with calls that still lack a result. */
  get openAnswer(): OpenAnswer | undefined {
    const answer = this.#entries.findLast((entry) => entry.kind === "assistant");
    if (answer === undefined) return undefined;
    const since = this.#entries.slice(this.#entries.lastIndexOf(answer));
    const done = new Set(since.filter((entry) => entry.kind === "tool.result").map((entry) => entry.callId));
    const calls = answer.toolCalls.filter((call) => !done.has(call.callId));
    return calls.length === 0 ? undefined : { answer, calls };
  }

  /** The answer the turn ends with so far, when nothing has come after it. */
  get finalAnswer(): AssistantEntry | undefined {
    const last = this.#entries.at(-1);
    return last?.kind === "assistant" && last.toolCalls.length === 0 ? last : undefined;
  }

  hasStarted(callId: string): boolean {
    return this.#entries.some((entry) => entry.kind === "tool.started" && entry.callId === callId);
  }

  /** Everyone whose words entered this turn, in the order they did. */
  get requesters(): readonly Sender[] {
    return sendersOf(this.#entries);
  }

  /** The calls with ids that no other call of this turn has; models and servers reuse or forget them. */
  withUniqueIds(calls: readonly ToolCall[]): readonly ToolCall[] {
    const taken = new Set(this.#calls().map((call) => call.callId));
    return calls.map((call) => {
      let callId = call.callId;
      for (let number = taken.size + 1; callId === "" || taken.has(callId); number += 1) callId = `call_${number}`;
      taken.add(callId);
      return { ...call, callId };
    });
  }

  /**
   * In how many answers in a row the very same call has failed, counted at the last result; those about to be recorded
   * are included.
   */
  failuresInARow(coming: readonly ToolResultEntry[] = []): number {
    const asked = this.#asked();
    const results = [...this.#entries.filter((entry) => entry.kind === "tool.result"), ...coming];
    const last = asked.get(results.at(-1)?.callId ?? "");
    const answers = new Set<AssistantEntry>();
    for (const { callId, isError } of results.toReversed()) {
      const call = asked.get(callId);
      if (!isError || call === undefined || call.text !== last?.text) break;
      answers.add(call.answer);
    }
    return answers.size;
  }

  #calls(): readonly ToolCall[] {
    return this.#entries.filter((entry) => entry.kind === "assistant").flatMap((entry) => entry.toolCalls);
  }

  /**
   * Call id to the answer it came in, and a text that is equal for calls that ask for the same. Calls of a cut-off
   * answer all count as the same.
   */
  #asked(): ReadonlyMap<string, { readonly answer: AssistantEntry; readonly text: string }> {
    const answers = this.#entries.filter((entry) => entry.kind === "assistant");
    return new Map(
      answers.flatMap((answer) =>
        answer.toolCalls.map((call) => {
          const text = answer.stop === "max_tokens" ? answer.stop : `${call.name} ${call.arguments}`;
          return [call.callId, { answer, text }] as const;
        }),
      ),
    );
  }
}

/** Everyone whose words the entries hold, also those that were said to others. */
export function speakersOf(entries: readonly TranscriptEntry[]): readonly Sender[] {
  return uniqueSenders(entries, ["user", "overheard"]);
}

/** Each sender of user entries once, oldest first. One account seen with two assurances counts twice. */
export function sendersOf(entries: readonly TranscriptEntry[]): readonly Sender[] {
  return uniqueSenders(entries, ["user"]);
}

/** What each sender of user entries may do. Of several roles of one sender the weakest counts. */
export function rolesOf(entries: readonly TranscriptEntry[]): ReadonlyMap<UserId, Role> {
  const roles = new Map<UserId, Role>();
  for (const entry of entries) {
    if (entry.kind !== "user") continue;
    const { sender, role = "guest" } = entry;
    const earlier = roles.get(sender.userId) ?? role;
    roles.set(sender.userId, isAtLeast(role, earlier) ? earlier : role);
  }
  return roles;
}

function uniqueSenders(entries: readonly TranscriptEntry[], kinds: readonly string[]): readonly Sender[] {
  const senders = new Map<string, Sender>();
  for (const entry of entries) {
    if (!("sender" in entry) || !kinds.includes(entry.kind)) continue;
    const key = JSON.stringify([entry.sender.userId, entry.sender.assurance]);
    if (!senders.has(key)) senders.set(key, entry.sender);
  }
  return [...senders.values()];
}
