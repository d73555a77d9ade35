import { type Asker, isAtLeast, type Role, type Sender, type TurnId, type UserId } from "@talaria/protocol";
import type {
  AssistantEntry,
  CallSettledEntry,
  ToolResultEntry,
  ToolWaitingEntry,
  TranscriptEntry,
} from "./journal.ts";
import type { ToolCall } from "./model.ts";
import { cancelledResult } from "./tool-result.ts";
import type { TurnEvent } from "./turn-event.ts";

/** An answer with the calls of it that have no result yet. */
export interface OpenAnswer {
  readonly answer: AssistantEntry;
  readonly calls: readonly ToolCall[];
}

/** The entries of one turn so far, and what can be told from them. A resumed turn knows exactly what they say. */
export class TurnJournal {
  readonly #turnId: TurnId;
  readonly #entries: TranscriptEntry[];
  readonly #held: TranscriptEntry[] = [];

  constructor(turnId: TurnId, entries: readonly TranscriptEntry[]) {
    this.#turnId = turnId;
    this.#entries = [...entries];
  }

  get entries(): readonly TranscriptEntry[] {
    return this.#entries;
  }

  /** Adds entries, and gives the event that makes the reader write them before anything else happens. */
  record(entries: readonly TranscriptEntry[]): TurnEvent {
    this.add(entries);
    return { type: "journal", entries: [...this.#held.splice(0), ...entries] };
  }

  /** Adds entries that are written together with the next ones, before anything happens that depends on them. */
  hold(entries: readonly TranscriptEntry[]): void {
    this.add(entries);
    this.#held.push(...entries);
  }

  /** Makes the reader write what is held, when nothing comes that it could be written with. */
  *flush(): Generator<TurnEvent, void> {
    if (this.#held.length > 0) yield this.record([]);
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

  /** The calls of an answer have just ended, all of them. */
  get isBetweenSteps(): boolean {
    return this.#entries.at(-1)?.kind === "tool.result" && this.openAnswer === undefined;
  }

  hasResult(callId: string): boolean {
    return this.#entries.some((entry) => entry.kind === "tool.result" && entry.callId === callId);
  }

  /** It has begun, and does not just wait for somebody: a question has changed nothing. */
  mayHaveRun(callId: string): boolean {
    return this.hasStarted(callId) && this.waiting(callId) === undefined;
  }

  /** What a call waits for; undefined once it is settled. */
  waiting(callId: string): ToolWaitingEntry | undefined {
    if (this.settlement(callId) !== undefined) return undefined;
    return this.#entries.findLast((entry) => entry.kind === "tool.waiting" && entry.callId === callId) as
      | ToolWaitingEntry
      | undefined;
  }

  /** The ids of calls of this turn that wait for approval or an answer, also of those for which the model does not wait any more. */
  get openQuestions(): readonly string[] {
    const own = this.#settled().filter(({ turnId }) => turnId === this.#turnId);
    const settled = new Set(own.map(({ callId }) => callId));
    return this.#entries.flatMap((entry) =>
      entry.kind === "tool.waiting" && isForPeople(entry) && !settled.has(entry.callId) ? [entry.callId] : [],
    );
  }

  /** How a call was settled before the model was told anything of it. */
  settlement(callId: string): CallSettledEntry | undefined {
    return this.#settled().find((entry) => entry.callId === callId && !this.#isLate(entry));
  }

  /** Calls of earlier turns, or for which the model did not wait, that are settled and have not been dealt with. */
  get lateSettlements(): readonly CallSettledEntry[] {
    const done = new Set(this.#entries.filter((entry) => entry.kind === "tool.result").map((entry) => entry.callId));
    return this.#settled().filter((entry) => this.#isLate(entry) && !done.has(entry.id));
  }

  /** Every call that has no result yet, as it will have it: those of the last answer, and those that were settled late. */
  get unfinished(): readonly ToolCall[] {
    return [...(this.openAnswer?.calls ?? []), ...this.lateSettlements.map(lateCall)];
  }

  /** Whether somebody has said something since the last answer, or a call has ended that the model does not wait for. */
  get hasNews(): boolean {
    const answered = this.#entries.findLastIndex((entry) => entry.kind === "assistant");
    const late = new Set<string>(this.#settled().map(({ id }) => id));
    return this.#entries
      .slice(answered + 1)
      .some((entry) => entry.kind === "user" || (entry.kind === "tool.result" && late.has(entry.callId)));
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
    const taken = new Set<string>(this.#calls().map((call) => call.callId));
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

  #settled(): readonly CallSettledEntry[] {
    return this.#entries.filter((entry) => entry.kind === "call.settled");
  }

  /** It belongs to no call of this turn, or to one that had a result before. */
  #isLate(settled: CallSettledEntry): boolean {
    const before = this.#entries.slice(0, this.#entries.indexOf(settled));
    const isOpen = before.some((entry) => entry.kind === "tool.waiting" && entry.callId === settled.callId);
    const hasResult = before.some((entry) => entry.kind === "tool.result" && entry.callId === settled.callId);
    return !isOpen || hasResult || settled.turnId !== this.#turnId;
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

/** Whether somebody has to approve or to answer. */
export function isForPeople({ waitsFor }: Pick<ToolWaitingEntry, "waitsFor">): boolean {
  return waitsFor === "approval" || waitsFor === "form";
}

/** Everyone whose words the entries hold, also those that were said to others. */
export function speakersOf(entries: readonly TranscriptEntry[]): readonly Sender[] {
  return uniqueSenders(
    entries.flatMap((entry) => [
      ...(entry.kind === "overheard" ? [entry.sender] : []),
      ...(entry.kind === "checkpoint" ? entry.derived.askers.map(({ sender }) => sender) : []),
      ...askersIn(entry).map(({ sender }) => sender),
    ]),
  );
}

/** Each of those who ask once, oldest first. One account seen with two assurances or mandates counts twice. */
export function sendersOf(entries: readonly TranscriptEntry[]): readonly Sender[] {
  return uniqueSenders(entries.flatMap((entry) => askersIn(entry).map(({ sender }) => sender)));
}

/** What each of `sendersOf` may do. Of several roles of one sender the weakest counts. */
export function rolesOf(entries: readonly TranscriptEntry[], others: readonly Asker[] = []): ReadonlyMap<UserId, Role> {
  const roles = new Map<UserId, Role>();
  for (const { sender, role } of [...others, ...entries.flatMap(askersIn)]) {
    const earlier = roles.get(sender.userId) ?? role;
    roles.set(sender.userId, isAtLeast(role, earlier) ? earlier : role);
  }
  return roles;
}

/** Those who have asked for something in what checkpoints stand for. They ask for nothing now. */
export function derivedAskers(entries: readonly TranscriptEntry[]): readonly Asker[] {
  return entries.flatMap((entry) => (entry.kind === "checkpoint" ? entry.derived.askers : []));
}

/** Whoever asks for something by this entry. A call that was settled goes on for those who had asked for it. */
export function askersIn(entry: TranscriptEntry): readonly Asker[] {
  if (entry.kind === "call.settled") return entry.askers;
  return entry.kind === "user" ? [{ sender: entry.sender, role: entry.role ?? "guest" }] : [];
}

/** Everyone whose words entered the turn with these entries, once, with the fewest rights that they were seen with. */
export function askersOf(entries: readonly TranscriptEntry[]): readonly Asker[] {
  const roles = rolesOf(entries);
  return sendersOf(entries).map((sender) => ({ sender, role: roles.get(sender.userId) ?? "guest" }));
}

/** The results that are missing in the journal of a turn that somebody has ended. */
export function cancelledCalls(turnId: TurnId, entries: readonly TranscriptEntry[]): readonly ToolResultEntry[] {
  const journal = new TurnJournal(turnId, entries);
  return journal.unfinished.map((call) => cancelledResult(call, journal.mayHaveRun(call.callId)));
}

/** A call that was settled after the model had gone on without it runs under the settlement's id. */
export function lateCall(settled: CallSettledEntry): ToolCall {
  return { callId: settled.id, name: settled.name, arguments: settled.arguments };
}

function uniqueSenders(senders: readonly Sender[]): readonly Sender[] {
  const found = new Map<string, Sender>();
  for (const sender of senders) {
    const key = JSON.stringify([sender.userId, sender.assurance, sender.mandate]);
    if (!found.has(key)) found.set(key, sender);
  }
  return [...found.values()];
}
