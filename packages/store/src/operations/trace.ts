import { type AccountId, type EventId, instantOf, type SessionKey, type TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Trace, TraceStep } from "../ports/operations.ts";
import type { OutboxPart } from "../ports/outbox.ts";
import { readAskedSteps } from "./questions.ts";

/** Events that an id may mean: their own id, their message's id, their turn, or a message of ours that answered them. */
const eventsText = `
  with turns as (
    select $1 as turn_id
    union
    select turn_id from sent_message where message_id = $1 and turn_id is not null
  )
  select seen.account_id, seen.event_id, seen.sender_id, seen.received_at, seen.recorded_at, seen.outcome, seen.reason,
         inbox.session_key, inbox.seq, inbox.turn_id, inbox.mode, inbox.reason as drop_reason, inbox.dropped_at
    from (select event_id, account_id from seen where event_id = $1 or message_id = $1
          union
          select inbox.event_id, inbox.account_id
            from turns join turn using (turn_id)
            join inbox on inbox.session_key = turn.session_key and inbox.seq between turn.first_seq and turn.last_seq
                      and inbox.turn_id = turn.turn_id) as wanted
    join seen using (event_id, account_id)
    left join inbox using (event_id, account_id)
   order by seen.recorded_at
   limit 100`;

interface EventRow {
  readonly account_id: AccountId;
  readonly event_id: EventId;
  readonly sender_id: string;
  readonly received_at: Date;
  readonly recorded_at: Date;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly session_key: SessionKey | null;
  readonly seq: string | null;
  readonly turn_id: TurnId | null;
  readonly mode: string | null;
  readonly drop_reason: string | null;
  readonly dropped_at: Date | null;
}

export async function readTraces(database: Database, id: string): Promise<readonly Trace[]> {
  const events = await database.query<EventRow>({ text: eventsText, values: [id] });
  const turnSteps = new Map<TurnId, readonly TraceStep[]>();
  const turnIds = new Set(events.flatMap(({ turn_id }) => turn_id ?? []));
  for (const turnId of turnIds) turnSteps.set(turnId, await readTurnSteps(database, turnId));
  if (events.length > 0) return events.map((event) => toTrace(event, turnSteps));
  return await readDeliveryTraces(database, id);
}

function toTrace(event: EventRow, turnSteps: ReadonlyMap<TurnId, readonly TraceStep[]>): Trace {
  const { account_id, event_id, session_key, turn_id } = event;
  const steps = [...eventSteps(event), ...((turn_id && turnSteps.get(turn_id)) || [])];
  return {
    accountId: account_id,
    eventId: event_id,
    ...(session_key === null ? {} : { sessionKey: session_key }),
    ...(turn_id === null ? {} : { turnId: turn_id }),
    steps: inOrder(steps),
  };
}

function eventSteps(event: EventRow): readonly TraceStep[] {
  const steps = [step(event.received_at, "received", { senderId: event.sender_id })];
  if (event.outcome !== null) {
    steps.push(step(event.recorded_at, event.outcome, { reason: event.reason }));
    return steps;
  }
  steps.push(step(event.recorded_at, "recorded", { seq: Number(event.seq), mode: event.mode }));
  if (event.dropped_at !== null) steps.push(step(event.dropped_at, "dropped", { reason: event.drop_reason }));
  return steps;
}

interface TurnRow {
  readonly session_key: SessionKey;
  readonly generation: number;
  readonly fence: string;
  readonly state: string;
  readonly reason: string | null;
  readonly usage: Readonly<Record<string, number>> | null;
  readonly resumed_at: readonly Date[];
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

async function readTurnSteps(database: Database, turnId: TurnId): Promise<readonly TraceStep[]> {
  const [turn] = await database.query<TurnRow>({ text: "select * from turn where turn_id = $1", values: [turnId] });
  const steps = await readDeliverySteps(database, "turn_id", turnId);
  if (turn === undefined) return steps;
  const { reason, usage } = turn;
  return [
    step(turn.started_at, "turn began", { turnId }),
    ...turn.resumed_at.map((at) => step(at, "resumed", { fence: Number(turn.fence) })),
    ...(await readEntrySteps(database, turn, turnId)),
    ...(await readAskedSteps(database, turnId)),
    ...(turn.ended_at === null ? [] : [step(turn.ended_at, "turn ended", { outcome: turn.state, reason, usage })]),
    ...steps,
  ];
}

const entrySteps: Readonly<Record<string, string>> = {
  assistant: "model answered",
  "tool.started": "tool",
  "tool.result": "tool",
  "tool.waiting": "waits",
  "call.settled": "settled",
  cleared: "conversation compressed",
  checkpoint: "conversation compressed",
};

interface EntryRow {
  readonly kind: string;
  readonly created_at: Date;
  readonly name: string | null;
  /** Of the policy, for a call that needed a decision. */
  readonly rule: string | null;
  readonly settlement: string | null;
  readonly by: string | null;
  /** Of a compression: why, and what a request took before and after. */
  readonly reason: string | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
}

async function readEntrySteps(database: Database, turn: TurnRow, turnId: TurnId): Promise<readonly TraceStep[]> {
  const rows = await database.query<EntryRow>({
    text: `select kind, created_at, body ->> 'name' as name, body ->> 'rule' as rule, body ->> 'settlement' as settlement,
                  body -> 'by' ->> 'userId' as by, compressed ->> 'reason' as reason,
                  compressed -> 'tokens' -> 'before' as "tokensBefore", compressed -> 'tokens' -> 'after' as "tokensAfter"
             from entry
                  cross join lateral (select case when kind in ('cleared', 'checkpoint') then body end as compressed) as made
            where session_key = $1 and generation = $2 and turn_id = $3 order by id`,
    values: [turn.session_key, turn.generation, turnId],
  });
  return rows.flatMap(({ kind, created_at, ...details }) => {
    const label = entrySteps[kind];
    return label === undefined ? [] : [step(created_at, label, { kind, ...details })];
  });
}

interface OutboxStepRow {
  readonly receipts: readonly ReceiptRow[] | null;
  readonly account_id: AccountId;
  readonly delivery_key: string;
  readonly kind: string;
  readonly state: string;
  readonly error: string | null;
  readonly parts: readonly OutboxPart[] | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  readonly next_at: Date;
  /** The text of the same conversation that has to be sent before. */
  readonly behind: string | null;
}

interface ReceiptRow {
  readonly message_id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly told_at: string;
}

async function readDeliverySteps(
  database: Database,
  column: "turn_id" | "id",
  value: string,
): Promise<readonly TraceStep[]> {
  const text = `
    select outbox.*, (
             select json_agg(receipt order by told_at)
               from sent_message join receipt using (message_id, conversation_id, account_id)
              where sent_message.outbox_id = outbox.id) as receipts, (
             select first.delivery_key
               from outbox as first
              where first.account_id = outbox.account_id and first.conversation_id = outbox.conversation_id
                and first.state = 'pending' and first.id < outbox.id
              order by first.id limit 1) as behind
      from outbox where ${column} = $1 order by id`;
  return (await database.query<OutboxStepRow>({ text, values: [value] })).flatMap(deliverySteps);
}

function deliverySteps(row: OutboxStepRow): readonly TraceStep[] {
  const { delivery_key: deliveryKey, kind, parts, error } = row;
  const steps = [step(row.created_at, "sending", { deliveryKey, kind })];
  if (row.settled_at === null) return [...steps, ...waitingSteps(row)];
  const messageIds = parts?.flatMap(({ messageId }) => messageId ?? []);
  const unknown = parts?.reduce((sum, part) => sum + part.unknown, 0);
  steps.push(step(row.settled_at, row.state, { deliveryKey, messageIds, unknown, error }));
  for (const { message_id: messageId, status, reason, told_at } of row.receipts ?? [])
    steps.push(step(new Date(told_at), `receipt: ${status}`, { messageId, reason }));
  return steps;
}

/** Why a text is not there yet, and when it is tried again. */
function waitingSteps({ delivery_key: deliveryKey, parts, behind, next_at, created_at }: OutboxStepRow): TraceStep[] {
  if (behind !== null) return [step(created_at, "waits", { deliveryKey, behind })];
  const failed = parts?.find(({ state, lastFailure }) => state !== "sent" && lastFailure !== undefined);
  if (failed?.lastFailure === undefined) return [];
  const { code, reason, isAsked, since, at } = failed.lastFailure;
  const unknown = failed.state === "sending" || failed.unknown > 0 ? "perhaps it arrived" : undefined;
  const nextAt = instantOf(next_at.getTime());
  return [step(new Date(at), "waits", { deliveryKey, code, reason, isAsked, since, outcome: unknown, nextAt })];
}

/** Messages of ours that answered no event, for example a notice. */
async function readDeliveryTraces(database: Database, messageId: string): Promise<readonly Trace[]> {
  const sent = await database.query<{ account_id: AccountId; outbox_id: string }>({
    text: "select account_id, outbox_id from sent_message where message_id = $1 and outbox_id is not null limit 100",
    values: [messageId],
  });
  return await Promise.all(
    sent.map(async ({ account_id, outbox_id }) => ({
      accountId: account_id,
      steps: inOrder(await readDeliverySteps(database, "id", outbox_id)),
    })),
  );
}

/** Details without a value are left out. */
function step(at: Date, name: string, details: Readonly<Record<string, unknown>>): TraceStep {
  const known = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  return { at: instantOf(at.getTime()), step: name, details: Object.fromEntries(known) };
}

function inOrder(steps: readonly TraceStep[]): readonly TraceStep[] {
  return steps.toSorted((left, right) => left.at.localeCompare(right.at));
}
