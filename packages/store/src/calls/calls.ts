import {
  type AccountId,
  askedWordsSchema,
  type Choice,
  type Conversation,
  instantOf,
  type Role,
  type Sender,
  type SessionKey,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import { sqlFunction } from "../database/sql-function.ts";
import type { CallStore, Decision, OpenCall, ProcessEnd, StoredGrant } from "../ports/calls.ts";
import type { OutboxText } from "../ports/outbox.ts";
import { storedGrant } from "../turns/stored-rows.ts";
import { createPlaces } from "./owners-places.ts";

const columns = `*, expires_at <= clock_timestamp() as is_overdue,
  held_by is not null and not is_alive(held_by) as is_abandoned`;
const maxWaiting = 20;
const maxForOwners = 200;
const maxOverdue = 100;
const maxAskedWhileRunning = 100;
const maxGiven = 1_000;
const questionsPerPage = 200;

const readGrants = sqlFunction<Place, { readonly grants: unknown }>("read_grants");
const settleOpenCall = sqlFunction<Decision & { readonly notice?: OutboxText }, { readonly settled: boolean }>(
  "settle_open_call",
);

const forbidCall = sqlFunction<
  Pick<OpenCall, "id" | "sessionKey"> & { readonly reason: string },
  { readonly settled: boolean }
>("forbid_call");

const settleProcessCall = sqlFunction<ProcessEnd, { readonly outcome: "settled" | "closed" | "unknown" }>(
  "settle_process_call",
);

interface Row {
  readonly id: string;
  readonly session_key: OpenCall["sessionKey"];
  readonly turn_id: OpenCall["turnId"];
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly waits_for: OpenCall["waitsFor"];
  readonly shown: string;
  readonly words: unknown;
  readonly approver: OpenCall["approver"] | null;
  readonly askers: OpenCall["askers"];
  readonly route: OpenCall["route"];
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly is_overdue: boolean;
  readonly is_abandoned: boolean;
  readonly settlement: OpenCall["settlement"] | null;
  readonly offer: OpenCall["offer"] | null;
  readonly held_by: OpenCall["heldBy"] | null;
  readonly settled_by: (Pick<Sender, "displayName" | "role"> & { readonly takesBack?: true }) | null;
  readonly content: string | null;
}

interface QuestionRow extends Row {
  readonly conversation: Conversation;
  readonly expires: string;
}

interface Place {
  readonly sessionKey: SessionKey;
  readonly accountId: AccountId;
}

interface GivenRow {
  readonly id: string;
  readonly account_id: AccountId;
  readonly given_by: Sender;
  readonly by_role: Role;
}

interface GrantRow {
  readonly id: string;
  readonly session_key: SessionKey;
  readonly scope: StoredGrant["scope"];
  readonly covers: string;
  readonly terms: StoredGrant["terms"];
  readonly by_role: StoredGrant["byRole"];
}

export function createCallStore(database: Database): CallStore {
  const settle = settleOpenCall(database);
  const settleProcess = settleProcessCall(database);
  const forbid = forbidCall(database);
  const readGrantsOf = readGrants(database);
  return {
    async find(id) {
      const rows = await database.query<Row>({ text: `select ${columns} from open_call where id = $1`, values: [id] });
      return rows.map(toCall)[0];
    },

    async findOf(turnId, callId) {
      const text = `select ${columns} from open_call where turn_id = $1 and call_id = $2`;
      return (await database.query<Row>({ name: "asked_call", text, values: [turnId, callId] })).map(toCall)[0];
    },

    async waiting(sessionKey) {
      const text = `select ${columns} from open_call where session_key = $1 and settled_at is null
                     order by asked_at, call_id limit $2`;
      return (await database.query<Row>({ name: "waiting_calls", text, values: [sessionKey, maxWaiting] })).map(toCall);
    },

    async askedWhileRunning(turnId) {
      const text = `select ${columns} from open_call where turn_id = $1 and waits_for = 'form' and held_by is not null
                     order by asked_at, call_id limit $2`;
      const values = [turnId, maxAskedWhileRunning];
      return (await database.query<Row>({ name: "asked_while_running", text, values })).map(toCall);
    },

    async forOwners() {
      const text = `select ${columns} from open_call
                     where settled_at is null and waits_for = 'approval' and expires_at > clock_timestamp()
                       and coalesce(approver, 'owner') = 'owner'
                       and not askers @? '$[*] ? (@.role == "owner" && @.sender.role != "system")'
                     order by asked_at, call_id limit $1`;
      return (await database.query<Row>({ name: "calls_for_owners", text, values: [maxForOwners] })).map(toCall);
    },

    async askedIn({ accountId, conversationId }) {
      const text = `select open_call.id
                      from open_call
                     where settled_at is null and waits_for = 'approval' and exists (
                       select from texts_about(open_call) where account_id = $1 and conversation_id = $2)
                     order by asked_at, call_id limit $3`;
      const values = [accountId, conversationId, maxForOwners];
      const rows = await database.query<Pick<Row, "id">>({ name: "calls_asked_in", text, values });
      return new Set(rows.map(({ id }) => id));
    },

    async shownIn({ accountId, conversationId }, messageId) {
      const text = `select open_call.${columns}
                      from (select delivery_key, body
                              from sent_message join outbox on outbox.id = sent_message.outbox_id
                             where message_id = $1 and sent_message.conversation_id = $2 and sent_message.account_id = $3
                               and starts_with(delivery_key, 'ask:')
                             limit 1) as shown
                           cross join lateral asked_calls(delivery_key, body) as asked
                           join open_call using (id)
                     order by asked.n`;
      const values = [messageId, conversationId, accountId];
      return (await database.query<Row>({ name: "calls_shown", text, values })).map(toCall);
    },

    async choicesShownIn({ accountId, conversationId }, messageId) {
      const text = `select body -> 'choices' as choices,
                           shown_outcomes(delivery_key, body)::jsonb @? '$[*] ? (!exists(@.settlement))' as is_open
                      from sent_message join outbox on outbox.id = sent_message.outbox_id
                     where message_id = $1 and sent_message.conversation_id = $2 and sent_message.account_id = $3
                       and (starts_with(delivery_key, 'person:') or starts_with(delivery_key, 'group:'))
                     limit 1`;
      const values = [messageId, conversationId, accountId];
      const [row] = await database.query<{ readonly choices: readonly Choice[] | null; readonly is_open: boolean }>({
        name: "choices_shown",
        text,
        values,
      });
      return { choices: row?.choices ?? [], isOpen: row?.is_open === true };
    },

    async isShownWhole(id, { accountId, conversationId }, whole) {
      const text = `select exists (
                      select from open_call
                             join outbox on account_id = $2 and conversation_id = $3
                                        and created_at >= asked_at - interval '1 minute'
                       where open_call.id = $1 and outbox.kind in ('notice', 'command') and state <> 'failed'
                         and (position(shown in outbox.body ->> 'markdown') > 0
                              or position($4 in outbox.body ->> 'markdown') > 0)) as is_shown`;
      const values = [id, accountId, conversationId, whole];
      const rows = await database.query<{ readonly is_shown: boolean }>({ name: "call_shown_whole", text, values });
      return rows[0]?.is_shown === true;
    },

    async listed(choiceId) {
      const text = `select open_call.${columns}
                      from (select delivery_key, outbox.body
                              from open_call as first
                                   join outbox on delivery_key >= 'ask:' || first.turn_id || ':'
                                              and delivery_key < 'ask:' || first.turn_id || ';'
                             where first.id = split_part($1, '-', 2)
                               and outbox.body -> 'choices' @> jsonb_build_array(jsonb_build_object('id', $1::text))
                             limit 1) as shown
                           cross join lateral asked_calls(delivery_key, body) as asked
                           join open_call using (id)
                     order by asked.n`;
      return (await database.query<Row>({ name: "calls_listed", text, values: [choiceId] })).map(toCall);
    },

    async overdue() {
      const text = `select ${columns} from open_call where settled_at is null and expires_at <= clock_timestamp()
                     order by expires_at limit $1`;
      return (await database.query<Row>({ name: "overdue_calls", text, values: [maxOverdue] })).map(toCall);
    },

    async settle(decision, notice) {
      return (await settle({ ...decision, ...(notice === undefined ? {} : { notice }) })).settled;
    },

    async settleProcess(end) {
      return (await settleProcess(end)).outcome;
    },

    async questions(after) {
      const text = `select open_call.${columns}, session.conversation, expires_at::text as expires
                      from open_call join session using (session_key)
                     where settled_at is null and waits_for = 'approval' and expires_at > clock_timestamp()
                       and (expires_at, id) > ($1::timestamptz, $2)
                     order by expires_at, id limit $3`;
      const [id = "", expires = "-infinity"] = after?.split(" at ") ?? [];
      const values = [expires, id, questionsPerPage];
      const rows = await database.query<QuestionRow>({ name: "questions_to_review", text, values });
      const last = rows.length < questionsPerPage ? undefined : rows.at(-1);
      return {
        questions: rows.map((row) => ({ call: toCall(row), conversation: row.conversation })),
        ...(last === undefined ? {} : { next: `${last.id} at ${last.expires}` }),
      };
    },

    async forbid({ id, sessionKey }, reason) {
      return (await forbid({ id, sessionKey, reason })).settled;
    },

    async abandoned() {
      const text = `select ${columns} from open_call
                     where settled_at is null and held_by is not null and not exists (
                       select from process where process.id = held_by and lease_until > clock_timestamp())
                     order by asked_at limit $1`;
      return (await database.query<Row>({ name: "abandoned_calls", text, values: [maxOverdue] })).map(toCall);
    },

    async grants(sessionKey, accountId) {
      return read(z.array(storedGrant), (await readGrantsOf({ sessionKey, accountId })).grants);
    },

    async givenGrants() {
      const text = "select id, account_id, given_by, by_role from call_grant order by given_at desc limit $1";
      const rows = await database.query<GivenRow>({ text, values: [maxGiven] });
      return rows.map(({ id, account_id, given_by, by_role }) => ({
        ...{ id, accountId: account_id },
        ...{ by: given_by, byRole: by_role },
      }));
    },

    async removeGrant(id) {
      const text = `with ended as (delete from call_grant where id = $1 returning call_grant)
                    select end_agreed(array_agg(call_grant)) from ended`;
      await database.query({ text, values: [id] });
    },

    ...createPlaces(database),

    async findGrant(id) {
      const rows = await database.query<GrantRow>({ text: "select * from call_grant where id = $1", values: [id] });
      return rows.map(({ session_key, by_role, scope, covers, terms }) => ({
        ...{ id, scope, covers, terms },
        sessionKey: session_key,
        byRole: by_role,
      }))[0];
    },
  };
}

function toCall(row: Row): OpenCall {
  return {
    id: row.id,
    sessionKey: row.session_key,
    turnId: row.turn_id,
    callId: row.call_id,
    name: row.name,
    arguments: row.arguments,
    waitsFor: row.waits_for,
    shown: row.shown,
    ...wordsOf(row),
    ...(row.approver ? { approver: row.approver } : {}),
    askers: row.askers,
    route: row.route,
    askedAt: instantOf(row.asked_at.getTime()),
    expiresAt: instantOf(row.expires_at.getTime()),
    isOverdue: row.is_overdue,
    ...(row.is_abandoned ? { isAbandoned: true } : {}),
    ...(row.offer ? { offer: row.offer } : {}),
    ...(row.held_by ? { heldBy: row.held_by } : {}),
    ...(row.settlement ? { settlement: row.settlement } : {}),
    ...(row.settled_by === null || row.settled_by.role === "system" ? {} : { settledBy: row.settled_by.displayName }),
    ...(row.settled_by?.takesBack ? { isTakenBack: true } : {}),
    ...(row.content === null ? {} : { content: row.content }),
  };
}

/** What this release can't read is shown as it was. */
function wordsOf({ words }: Row): Pick<OpenCall, "words"> {
  const { data } = askedWordsSchema.safeParse(words);
  return data === undefined ? {} : { words: data };
}
