import type { AccountId, EventId, InboundEvent, ProcessId, SessionKey } from "@talaria/protocol";
import { GatewayError, instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlBatchFunction, sqlFunction } from "../database/sql-function.ts";
import type {
  DirectSettlement,
  EventState,
  EventStatus,
  InboxStore,
  Recorded,
  Settled,
  Unanswered,
} from "../ports/inbox.ts";
import type { WaitingFrom } from "../ports/operations.ts";
import type { EndedSession } from "../ports/rights.ts";
import { readMessage } from "./heard-message.ts";
import { namesOf, notToUs } from "./names-of.ts";
import { readReceived } from "./received-message.ts";
import { correctedWithinMs, messageIdOf, recordCall } from "./record-call.ts";
import { readThreadHead } from "./thread-head.ts";

/** Refused events of one sender that are kept, until they are pruned. */
const maxRefused = 100;
/** Characters of a command that are kept. */
const longestGiven = 4_000;

const recordEvents = sqlBatchFunction<
  ReturnType<typeof recordCall>,
  { readonly seq: number; readonly holder: ProcessId | null; readonly waitMs?: number | null } | null
>("record_events");

interface Applied {
  readonly applied: boolean;
  readonly holder: ProcessId | null;
  readonly wakes: SessionKey | null;
  readonly ended: readonly Required<EndedSession>[] | null;
  readonly takenUp: NonNullable<Extract<Settled, { outcome: "settled" }>["takenUp"]> | null;
}

const settleEvent = sqlFunction<
  ReturnType<typeof settleCall>,
  | Applied
  | { readonly refused: true }
  | { readonly joins: true }
  | { readonly recount: number }
  | { readonly waiting: WaitingFrom }
  | null
>("settle_event");

export function createInboxStore(database: Database): InboxStore {
  const recordEvent = recordEvents(database);
  const settleOne = settleEvent(database);

  return {
    async now() {
      const text = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as now";
      const [row] = await database.query<{ readonly now: number }>({ name: "now", text, values: [] });
      if (row === undefined) throw new GatewayError("the database tells no time", { code: "internal" });
      return row.now;
    },

    async record(entry): Promise<Recorded> {
      const answer = await recordEvent(recordCall(entry));
      if (answer === null) return { outcome: "duplicate" };
      const { seq, holder, waitMs } = answer;
      return {
        outcome: "recorded",
        seq,
        ...(holder === null ? {} : { holder }),
        ...(typeof waitMs === "number" ? { waitMs } : {}),
      };
    },

    async settle(settlement): Promise<Settled> {
      let waiting = settlement.dropped?.waiting;
      for (let unanswered = 1; ; ) {
        const answer = await settleOne(settleCall(settlement, unanswered, waiting));
        if (answer === null) return { outcome: "duplicate" };
        if ("recount" in answer) {
          unanswered = answer.recount;
          continue;
        }
        if ("waiting" in answer) {
          waiting = answer.waiting;
          continue;
        }
        if ("joins" in answer) return { outcome: "joins" };
        if ("refused" in answer) return { outcome: "refused" };
        return toSettled(answer);
      }
    },

    mediaReady: (accountId, eventId) => markMediaReady(database, accountId, eventId),
    heard: (conversation, messageId) => readMessage(database, conversation, messageId),
    received: (accountId, reader, messageIds) => readReceived(database, accountId, reader, messageIds),
    threadHead: (conversation, threadId, sessionKey) => readThreadHead(database, conversation, threadId, sessionKey),
    status: (accountId, eventId) => readStatus(database, accountId, eventId),
  };
}

function toSettled({ applied, holder, wakes, ended, takenUp }: Applied): Settled {
  return {
    ...{ outcome: "settled", applied },
    ...(holder === null ? {} : { holder }),
    ...(wakes === null ? {} : { wakes }),
    ...(ended === null ? {} : { ended }),
    ...(takenUp === null ? {} : { takenUp }),
  };
}

/** `unanswered`: how many messages the notice counts. `waiting`: of which it says that they are dropped. */
function settleCall(settlement: DirectSettlement, unanswered: number, waiting: WaitingFrom | undefined) {
  const { event, outcome, reason, effect, dropped, atStop, idleMarkdown, onlyFor, unless, overheard, forgetPlace } =
    settlement;
  const markdown = waiting && dropped?.markdown(waiting);
  const notice = settlement.notice && { ...settlement.notice, ...(markdown !== undefined && { markdown }) };
  return {
    sessionKey: effect?.sessionKey,
    accountId: event.conversation.accountId,
    eventId: event.id,
    conversationId: event.conversation.conversationId,
    messageId: messageIdOf(event),
    senderId: event.sender.userId,
    names: reason !== undefined && notToUs.has(reason) ? undefined : namesOf(event.sender),
    isPress: event.type === "action.invoked" ? true : undefined,
    receivedAt: event.receivedAt,
    occurredAt: event.occurredAt,
    outcome,
    reason,
    effect,
    notice,
    tellsDropped: notice && waiting?.messages,
    texts: settlement.texts,
    idleMarkdown,
    answers: atStop && { withheld: atStop.withheld(waiting), sent: atStop.sent(waiting), idle: atStop.idle },
    onlyFor,
    unless,
    group: settlement.group,
    forgetPlace,
    maxRefused,
    given: outcome === "command" ? givenCall(event) : undefined,
    unanswered: settlement.unanswered && unansweredCall(settlement.unanswered, unanswered),
    overheard: overheard && heardCall(overheard),
  };
}

/** What the history shows of a command: its beginning, or the button. */
function givenCall(event: InboundEvent) {
  const { displayName = event.sender.userId } = event.sender;
  const { threadId } = event.conversation;
  const common = { displayName, threadId };
  if (event.type === "action.invoked")
    return { ...common, did: "press", of: event.messageId, actionId: event.actionId };
  if (event.type !== "message.created") return undefined;
  return { ...common, did: "command", markdown: event.message.markdown.slice(0, longestGiven).toWellFormed() };
}

function unansweredCall({ text, many, waitMs, longestMs }: Unanswered, count: number) {
  return { text: count === 1 ? text : { ...text, markdown: many(count) }, count, waitMs, longestMs };
}

function heardCall({ message, ...limits }: NonNullable<DirectSettlement["overheard"]>) {
  return { ...limits, body: message, withinMs: correctedWithinMs };
}

async function markMediaReady(
  database: Database,
  accountId: AccountId,
  eventId: EventId,
): ReturnType<InboxStore["mediaReady"]> {
  const [row] = await database.query<{ session_key: SessionKey; wait_ms: string | null }>({
    name: "media_ready",
    text: `
      update inbox
         set media_until = null
       where event_id = $2 and account_id = $1 and media_until is not null and turn_id is null and reason is null
      returning session_key, greatest(0, ceil(extract(epoch from deferred_until - clock_timestamp()) * 1000))::bigint as wait_ms`,
    values: [accountId, eventId],
  });
  return row && { sessionKey: row.session_key, waitMs: Number(row.wait_ms ?? 0) };
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
           select string_agg(body ->> 'markdown', E'\\n\\n' order by id)
             from outbox where turn_id = turn.turn_id and kind = 'reply') end as reply,
         seen.recorded_at
    from seen
    left join inbox on inbox.event_id = seen.event_id and inbox.account_id = seen.account_id
    left join turn on turn.turn_id = inbox.turn_id
   where seen.event_id = $2 and seen.account_id = $1`;
