import {
  type AccountId,
  type Brand,
  type Clock,
  choiceSchema,
  conversationSchema,
  type DeliveryKey,
  GatewayError,
  type Instant,
  type Log,
  type MessageId,
  outboundAttachmentSchema,
  type Receipt,
  type SessionKey,
  spoken,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { readEach } from "../database/read-rows.ts";
import { sqlBatchFunction, sqlFunction, sqlLoneFunction } from "../database/sql-function.ts";
import type {
  AccountLease,
  Hurried,
  OutboxRow,
  OutboxStore,
  OutboxText,
  OutboxUpdate,
  Preview,
} from "../ports/outbox.ts";
import { askers, askersText, turnEventsText } from "../turns/turn-reads.ts";
import { forgetPreview, readAbandonedPreviews, readPreview } from "./previews.ts";
import { readQuestion } from "./questions.ts";
import { readReplaced } from "./replaced.ts";

const lostAccount = "another gateway holds the account now";

const addOutbox = sqlLoneFunction<readonly OutboxText[], null>("add_outbox");
const updateOutbox = sqlBatchFunction<AccountLease & OutboxUpdate, { readonly withdrawn: boolean }>("update_outbox", {
  conflict: lostAccount,
});
const savePreview = sqlLoneFunction<AccountLease & Preview & { readonly turnId: TurnId }, unknown>("save_preview", {
  conflict: lostAccount,
});
const recordReceipt = sqlFunction<ReceiptCall, { readonly changed: boolean; readonly known: boolean }>(
  "record_receipt",
);

export function createOutboxStore(database: Database, log: Log, clock: Pick<Clock, "elapsed">): OutboxStore {
  const add = addOutbox(database);
  const update = updateOutbox(database);
  const save = savePreview(database);
  const receive = recordReceipt(database);

  return {
    async add(texts) {
      if (texts.length === 0) return;
      await add(texts);
    },

    async due(lease, inFlight, limit) {
      for (;;) {
        const { rows, unreadable } = await readDue(database, clock, lease, inFlight, limit);
        if (unreadable.length === 0) return rows;
        await setAside(database, lease, unreadable);
        log.error(
          { accountId: lease.accountId, rows: unreadable },
          "texts that this release cannot read were given up",
        );
      }
    },

    toRead: (leases) => readToRead(database, leases),

    async update({ accountId, fence }, { id, state, parts, retryInMs, error }) {
      const more = { ...(retryInMs === undefined ? {} : { retryInMs }), ...(error === undefined ? {} : { error }) };
      const { withdrawn } = await update({ accountId, fence, id, state, parts, ...more });
      return withdrawn ? "withdrawn" : "written";
    },

    question: (deliveryKey) => readQuestion(database, deliveryKey),
    replaced: (row) => readReplaced(database, row),
    hurry: (lease, which) => hurry(database, lease, which),

    async savePreview({ accountId, fence }, turnId, preview) {
      await save({ accountId, fence, turnId, ...preview });
    },

    receipt: (receipt) => receive(receiptCall(receipt)),
    preview: (turnId) => readPreview(database, turnId),
    abandonedPreviews: (accountId, turnIds) => readAbandonedPreviews(database, accountId, turnIds),
    forgetPreview: (lease, turnId) => forgetPreview(database, lease, turnId),
  };
}

/** A status replaces those before it, in whatever order they arrive: a failure stays visible. */
const receiptStatuses = ["delivered", "read", "failed"] as const satisfies readonly Receipt["status"][];

type ReceiptCall = ReturnType<typeof receiptCall>;

function receiptCall({ conversation: { accountId, conversationId }, messageId, status, reason }: Receipt) {
  const over = receiptStatuses.slice(0, receiptStatuses.indexOf(status));
  return { accountId, conversationId, messageId, status, reason, over };
}

/** Pending rows of an account that one look reads. */
const windowRows = 500;

/** The language of the person who wrote last in the conversation of a row. */
const readerText = `
  select body -> 'sender' ->> 'language'
    from (select body from inbox
           where inbox.account_id = due.account_id and inbox.conversation_id = due.conversation_id
           order by recorded_at desc limit 5) as newest
   where body -> 'sender' ->> 'role' = 'person' and body ->> 'type' <> 'call.settled'
   limit 1`;

/**
 * A lane is blocked from its first row on that is in flight or not due: later rows must not overtake it. Looks at the oldest
 * rows, with which everything comes that can block one of them. When none of them is due, since lanes with a long backlog
 * are blocked, looks at the first row of each lane. An answer without a row means that the lease is lost.
 */
const dueText = `
  with recursive oldest as materialized (
    select id, bool_and(next_at <= now() and id <> all ($3::bigint[]))
                 over (partition by conversation_id order by id) as is_due
      from (select id, conversation_id, next_at from outbox
             where account_id = $1 and state = 'pending' order by id limit ${windowRows}) as pending
  ), lane as (
    (select conversation_id, id, next_at from outbox
      where account_id = $1 and state = 'pending' order by conversation_id, id limit 1)
    union all
    select next.*
      from lane cross join lateral (
        select conversation_id, id, next_at from outbox
         where account_id = $1 and state = 'pending' and conversation_id > lane.conversation_id
         order by conversation_id, id limit 1) as next
  ), due as (
    select outbox.*
      from outbox
     where id = any (array(
       select id from oldest where is_due
       union all
       select id from lane
        where (select count(*) = ${windowRows} and not bool_or(is_due) from oldest)
          and next_at <= now() and id <> all ($3::bigint[])
        order by id
        limit $4))
  )
  select (select coalesce(json_agg(json_build_object(
                   'id', due.id,
                   'body', due.body,
                   'parts', due.parts,
                   'preview', case when preview.turn_id is not null then json_strip_nulls(json_build_object(
                     'state', preview.state, 'messageId', preview.message_id)) end,
                   'asked', case when due.kind = 'reply' then (
                     select json_build_object('route', turn.route, 'askers', ${askersText})
                       from ${turnEventsText}
                      where turn.turn_id = due.turn_id
                      group by turn.turn_id) end,
                   'language', case when due.body -> 'conversation' ->> 'kind' = 'direct' then (${readerText}) end,
                   'ageMs', greatest(0, floor(extract(epoch from clock_timestamp() - due.created_at) * 1000))
                 ) order by due.id), '[]')
            from due left join preview on preview.turn_id = due.turn_id and due.kind = 'reply') as rows
    from account
   where account_id = $1 and fence = $2 and holder is not null`;

interface Due {
  readonly rows: readonly OutboxRow[];
  /** Ids of rows that were written by code this release does not understand. */
  readonly unreadable: readonly number[];
}

async function readDue(
  database: Database,
  clock: Pick<Clock, "elapsed">,
  lease: AccountLease,
  inFlight: readonly number[],
  limit: number,
): Promise<Due> {
  const values = [lease.accountId, lease.fence, inFlight, limit];
  const [answer] = await database.query<{ rows: unknown }>({ name: "due_outbox", text: dueText, values });
  if (answer === undefined) throw new GatewayError(lostAccount, { code: "conflict" });
  const { rows, unreadable } = readEach(dueRow, anyRows.parse(answer.rows));
  const readAt = clock.elapsed();
  return { rows: rows.map((row) => toRow(row, lease, readAt)), unreadable: unreadable.map((row) => row.id) };
}

/** A lease without its account is lost: `due` will throw. */
const toReadText = `
  select held.account_id
    from unnest($1::text[], $2::bigint[]) as held (account_id, fence)
   where not exists (select from account
                      where account.account_id = held.account_id and account.fence = held.fence and holder is not null)
      or exists (select from outbox
                  where outbox.account_id = held.account_id and state = 'pending' and next_at <= now())`;

async function readToRead(database: Database, leases: readonly AccountLease[]): Promise<readonly AccountId[]> {
  const values = [leases.map(({ accountId }) => accountId), leases.map(({ fence }) => fence)];
  const rows = await database.query<{ account_id: AccountId }>({ name: "outbox_to_read", text: toReadText, values });
  return rows.map(({ account_id }) => account_id);
}

/** Rows in their order, and none that is being written: whoever writes it says when it is due. */
const hurryText = `
  with waiting as (
    select id from outbox
     where account_id = $1 and state = 'pending' and next_at > now()
       and ($3::boolean and parts @? '$[*] ? (@.state == "sending" && @.unknown < 3)'
         or $4::boolean and parts @? '$[*] ? (@.state == "pending"
                                              && (@.lastFailure.code == "unavailable" || @.lastFailure.code == "unauthorized")
                                              && !(@.lastFailure.isAsked == true))')
       and exists (select from account where account_id = $1 and fence = $2 and holder is not null)
     order by id
       for update skip locked)
  update outbox set next_at = clock_timestamp() from waiting where outbox.id = waiting.id returning outbox.id`;

async function hurry(
  database: Database,
  { accountId, fence }: AccountLease,
  { doubtful, refused }: Hurried,
): Promise<boolean> {
  const values = [accountId, fence, doubtful, refused];
  const rows = await database.query({ name: "hurry_waiting", text: hurryText, values });
  return rows.length > 0;
}

function toRow(
  { id, body: { stopped, ...body }, parts, preview, asked, language, ageMs }: z.output<typeof dueRow>,
  lease: AccountLease,
  readAt: number,
): OutboxRow {
  return {
    ...body,
    id,
    accountId: lease.accountId,
    ...(parts === null ? {} : { parts }),
    ...(preview === null ? {} : { preview }),
    ...(asked === null ? {} : { asked }),
    ...spoken(language),
    ...(stopped === "withheld" ? { isWithheld: true } : {}),
    committedAt: readAt - ageMs,
  };
}

/** Under the account's fence, like any update. */
async function setAside(database: Database, lease: AccountLease, ids: readonly number[]): Promise<void> {
  await database.query({
    text: `
      update outbox
         set state = 'failed', error = 'unreadable', settled_at = clock_timestamp()
       where id = any ($1::bigint[]) and account_id = $2 and state = 'pending'
         and exists (select from account where account_id = $2 and fence = $3 and holder is not null)`,
    values: [ids, lease.accountId, lease.fence],
  });
}

function id<Id extends Brand<string>>() {
  return z.string() as unknown as z.ZodType<Id, Id>;
}

const attachments = z.array(outboundAttachmentSchema);
const choices = z.array(choiceSchema).exactOptional();

/** What every row has, even one that this release can't read. */
const anyRows = z.array(z.looseObject({ id: z.int() }));

const dueRow = z.object({
  id: z.number().int(),
  body: z.object({
    deliveryKey: id<DeliveryKey>(),
    kind: z.enum(["reply", "notice", "command", "closing"]),
    conversation: conversationSchema,
    replyTo: id<MessageId>().exactOptional(),
    markdown: z.string(),
    attachments,
    choices,
    privateTo: id<UserId>().exactOptional(),
    closes: id<DeliveryKey>().exactOptional(),
    leaves: z.literal(true).exactOptional(),
    replaces: z.string().exactOptional(),
    saidByEdit: z.literal(true).exactOptional(),
    sessionKey: id<SessionKey>().exactOptional(),
    turnId: id<TurnId>().exactOptional(),
    stopped: z.enum(["withheld", "cut"]).exactOptional(),
  }),
  parts: z
    .array(
      z.object({
        markdown: z.string(),
        attachments,
        choices,
        state: z.enum(["pending", "sending", "sent", "failed"]),
        messageId: id<MessageId>().exactOptional(),
        attempts: z.number().int(),
        unknown: z.number().int(),
        error: z.string().exactOptional(),
        lastFailure: z
          .object({
            code: z.string(),
            reason: z.string().exactOptional(),
            isAsked: z.literal(true).exactOptional(),
            since: id<Instant>(),
            at: id<Instant>(),
          })
          .exactOptional(),
      }),
    )
    .nullable(),
  preview: z.object({ state: z.enum(["posting", "posted"]), messageId: id<MessageId>().exactOptional() }).nullable(),
  // A text is not given up because of an event that this release can't read.
  asked: z.object({ route: conversationSchema, askers }).nullable().catch(null),
  language: z.string().nullable(),
  ageMs: z.number(),
});
