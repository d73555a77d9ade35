import type { AccountId, EventId, InboundEvent, ProcessId, SessionKey } from "@talaria/protocol";
import { instantOf } from "@talaria/protocol";
import { createBatch } from "./batch.ts";
import { type Database, sqlFunction } from "./database.ts";
import { toJson } from "./json.ts";
import type {
  DirectSettlement,
  EventState,
  EventStatus,
  InboxEntry,
  InboxStore,
  Recorded,
  Settled,
} from "./ports/inbox.ts";

export function createInboxStore(database: Database): InboxStore {
  const recordOne = createBatch((calls) => recordAll(database, calls));
  const settleOne = sqlFunction<{ applied: boolean; holder: ProcessId | null } | null>(database, "settle_event");

  return {
    record: (entry) => recordOne(toJson(recordCall(entry))),

    async settle(settlement): Promise<Settled> {
      const answer = await settleOne(toJson(settleCall(settlement)));
      if (answer === null) return { outcome: "duplicate" };
      return {
        outcome: "settled",
        applied: answer.applied,
        ...(answer.holder === null ? {} : { holder: answer.holder }),
      };
    },

    async mediaReady(accountId, eventId) {
      const [row] = await database.query<{ session_key: SessionKey; wait_ms: string | null }>({
        name: "media_ready",
        text: "select session_key, wait_ms from media_ready($1, $2)",
        values: [accountId, eventId],
      });
      return row && { sessionKey: row.session_key, waitMs: Number(row.wait_ms ?? 0) };
    },

    status: (accountId, eventId) => readStatus(database, accountId, eventId),
  };
}

async function recordAll(database: Database, calls: readonly string[]): Promise<readonly Recorded[]> {
  const rows = await database.query<{ n: number; seq: string; holder: ProcessId | null; wait_ms: string | null }>({
    name: "record_events",
    text: "select n, seq, holder, wait_ms from record_events($1::jsonb)",
    values: [`[${calls.join(",")}]`],
  });
  const recorded: Recorded[] = calls.map(() => ({ outcome: "duplicate" }));
  for (const { n, seq, holder, wait_ms } of rows) {
    recorded[n - 1] = {
      outcome: "recorded",
      seq: Number(seq),
      ...(holder === null ? {} : { holder }),
      ...(wait_ms === null ? {} : { waitMs: Number(wait_ms) }),
    };
  }
  return recorded;
}

const longestHoldMs = 3_600_000;

function recordCall({ sessionKey, event, route, mode, hold, mediaHoldMs, overheard, forgetIn }: InboxEntry) {
  const own = route === event.conversation || JSON.stringify(route) === JSON.stringify(event.conversation);
  return {
    session_key: sessionKey,
    account_id: event.conversation.accountId,
    event_id: event.id,
    conversation_id: event.conversation.conversationId,
    message_id: messageIdOf(event),
    sender_id: event.sender.userId,
    received_at: event.receivedAt,
    mode,
    body: event,
    route: own ? null : route,
    ...(hold === undefined ? {} : { hold_key: hold.key, hold_ms: holdMs(hold.ms) }),
    ...(overheard === undefined ? {} : { overheard }),
    ...(forgetIn === undefined ? {} : { forget: forgetIn }),
    ...(mediaHoldMs === undefined ? {} : { media_ms: holdMs(mediaHoldMs) }),
  };
}

function holdMs(ms: number): number {
  return Math.min(longestHoldMs, Math.max(0, Math.round(ms)));
}

function settleCall(settlement: DirectSettlement) {
  const { event, outcome, reason, effect, notice, idleMarkdown, overheard, forgetPlace, unanswered } = settlement;
  return {
    sessionKey: effect?.sessionKey,
    accountId: event.conversation.accountId,
    eventId: event.id,
    conversationId: event.conversation.conversationId,
    messageId: messageIdOf(event),
    senderId: event.sender.userId,
    receivedAt: event.receivedAt,
    outcome,
    reason,
    effect,
    notice,
    idleMarkdown,
    forgetPlace,
    unanswered,
    ...(overheard === undefined ? {} : { overheard: heardCall(overheard) }),
  };
}

function heardCall({ message, ...limits }: NonNullable<DirectSettlement["overheard"]>) {
  return { ...limits, body: message };
}

function messageIdOf(event: InboundEvent): string {
  return "message" in event ? event.message.messageId : event.messageId;
}

interface StatusRow {
  readonly state: EventState;
  readonly reason: string | null;
  readonly reply: string | null;
  readonly recorded_at: Date;
}

async function readStatus(
  database: Database,
  accountId: AccountId,
  eventId: EventId,
): Promise<EventStatus | undefined> {
  const [row] = await database.query<StatusRow>({
    name: "event_status",
    text: statusText,
    values: [accountId, eventId],
  });
  if (row === undefined) return undefined;
  return {
    accountId,
    eventId,
    state: row.state,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.reply === null ? {} : { reply: row.reply }),
    recordedAt: instantOf(row.recorded_at.getTime()),
  };
}

const statusText = `
  select coalesce(seen.outcome, case
           when inbox.reason is not null then 'dropped'
           when inbox.turn_id is null then 'waiting'
           when turn.state = 'running' then 'running'
           when turn.state = 'aborted' then 'dropped'
           else 'answered' end) as state,
         coalesce(seen.reason, inbox.reason, turn.reason) as reason,
         case when turn.state in ('completed', 'failed') then (
           select string_agg(draft ->> 'markdown', E'\\n\\n' order by id)
             from outbox where turn_id = turn.turn_id and kind = 'reply') end as reply,
         seen.recorded_at
    from seen
    left join inbox on inbox.event_id = seen.event_id and inbox.account_id = seen.account_id
    left join turn on turn.turn_id = inbox.turn_id
   where seen.event_id = $2 and seen.account_id = $1`;
