import { type AccountId, type ConversationId, GatewayError, instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { Chat, ChatPage, ChatQuery } from "../ports/chats.ts";
import { exactly, readPlace, writePlace } from "./place-in-time.ts";
import { sessionsOf } from "./sessions-of.ts";

/** Characters of a line that a preview, or a title made of one, may be made of. */
const mostChars = 600;
/** Threads of one conversation that are looked at. */
const mostSessions = 1_000;

export interface Row {
  readonly account_id: AccountId;
  readonly conversation_id: ConversationId;
  readonly platform: string;
  readonly kind: Chat["kind"];
  readonly title: string | null;
  readonly known_as: string | null;
  readonly last_at: Date;
  readonly exact: string;
  readonly beginning: string | null;
  readonly preview: string | null;
  readonly preview_from: "person" | "agent" | null;
  readonly unread: number;
}

/** The SQL of what a list shows of the rows of `page`, newest first. Only the console's own have something unread and a beginning. */
export function shownOf(line: string = newest): string {
  return `
  select page.account_id, page.conversation_id, page.platform, page.kind, page.title, page.known_as, page.last_at,
         ${exactly("page.last_at")} as exact, first.words as beginning, line.words as preview, line.sender as preview_from,
         case when page.platform = 'web' then unread_lines(page.account_id, page.conversation_id, page.read_until, page.deleted_at) else 0 end as unread
    from page
         left join lateral (${line}) as line on true
         left join lateral (
           select left(body #>> '{message,markdown}', ${mostChars}) as words
             from inbox
            where page.platform = 'web' and page.title is null and account_id = page.account_id
              and conversation_id = page.conversation_id and recorded_at > page.deleted_at and not again
              and body ->> 'type' = 'message.created' and body #>> '{message,markdown}' <> ''
            order by recorded_at
            limit 1) as first on true
   order by page.last_at desc, page.account_id desc, page.conversation_id desc`;
}

/** The newest line, or the names of its files. */
const newest = `
  select coalesce(nullif(words, ''), (
           select string_agg(file ->> 'name', ', ') from jsonb_array_elements(files) as file where file ? 'name')) as words, sender
    from ((select left(body #>> '{message,markdown}', ${mostChars}) as words, body #> '{message,attachments}' as files,
                  'person' as sender, recorded_at as at
             from inbox
            where account_id = page.account_id and conversation_id = page.conversation_id and recorded_at > page.deleted_at
              and not again and body ->> 'type' = 'message.created'
            order by recorded_at desc
            limit 1)
          union all
          (select left(body ->> 'markdown', ${mostChars}), body -> 'attachments', 'agent', created_at
             from outbox
            where account_id = page.account_id and conversation_id = page.conversation_id and created_at > page.deleted_at
              and state not in ('failed', 'withdrawn') and kind <> 'closing'
            order by created_at desc
            limit 1)) as newest
   order by at desc
   limit 1`;

/** The plan must not depend on whether an account is named: each statement has its own text. */
const listText = (isOfAccount: boolean) => `
  with page as materialized (
    select * from chat
     where last_at > deleted_at
       and ${isOfAccount ? "account_id = $1" : "$1::text is null"}
       and (last_at, account_id, conversation_id) < ($2::timestamptz, $3, $4)
     order by last_at desc, account_id desc, conversation_id desc
     limit $5)
  ${shownOf()}`;

export async function listChats(database: Database, query: ChatQuery): Promise<ChatPage> {
  const { accountId, limit } = query;
  const name = accountId === undefined ? "chats" : "chats_of_account";
  const values = [accountId ?? null, ...placeIn(query), limit + 1];
  return toPage(database, await database.query<Row>({ name, text: listText(accountId !== undefined), values }), limit);
}

/** `at`, account and conversation that the page begins behind. */
export function placeIn({ before }: ChatQuery): readonly [string, string, string] {
  if (before === undefined) return ["infinity", "", ""];
  const { at, beside } = readPlace(before);
  const [, account, conversation] = /^([^~]*)~([^~]*)$/.exec(beside) ?? [];
  if (account === undefined || conversation === undefined)
    throw new GatewayError("before must be the next of another page of this list", { code: "invalid_request" });
  return [at, decode(account), decode(conversation)];
}

function decode(segment: string): string {
  return Buffer.from(segment, "base64url").toString("utf8").replaceAll("\0", "");
}

function placeOf({ exact, account_id, conversation_id }: Row): string {
  const segments = [account_id, conversation_id].map((id) => Buffer.from(id).toString("base64url"));
  return writePlace({ at: exact, beside: segments.join("~") });
}

export async function toPage(database: Database, rows: readonly Row[], limit: number): Promise<ChatPage> {
  const shown = rows.slice(0, limit);
  const doing = await readDoing(database, shown);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? { next: placeOf(last) } : {};
  return { chats: shown.map((row, n) => toChat(row, doing[n] ?? { isRunning: false, waiting: 0 })), ...next };
}

function toChat(row: Row, doing: Pick<Chat, "isRunning" | "waiting">): Chat {
  return {
    accountId: row.account_id,
    conversationId: row.conversation_id,
    platform: row.platform,
    kind: row.kind,
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.known_as === null ? {} : { knownAs: row.known_as }),
    ...(row.beginning === null ? {} : { beginning: row.beginning }),
    preview: row.preview ?? "",
    ...(row.preview_from === null ? {} : { previewFrom: row.preview_from }),
    lastAt: instantOf(row.last_at.getTime()),
    unread: row.unread,
    ...doing,
  };
}

const doingText = `
  select coalesce(bool_or(held.open_turn is not null), false) as running, coalesce(sum((
           select count(*) from open_call
            where open_call.session_key = held.session_key and settled_at is null and waits_for in ('approval', 'form')
              and expires_at > clock_timestamp())), 0)::integer as waiting
    from unnest($1::text[]) with ordinality as given (base, n)
         left join lateral (
           select session_key, open_turn from session where session_key = base
           union all
           (select session_key, open_turn from session
             where session_key > base || '/' and session_key < base || '0' limit ${mostSessions})) as held on true
   group by n
   order by n`;

async function readDoing(
  database: Database,
  rows: readonly Row[],
): Promise<readonly Pick<Chat, "isRunning" | "waiting">[]> {
  if (rows.length === 0) return [];
  const bases = rows.map((row) => sessionsOf({ accountId: row.account_id, conversationId: row.conversation_id }));
  const doing = await database.query<{ running: boolean; waiting: number }>({
    name: "chats_doing",
    text: doingText,
    values: [bases],
  });
  return doing.map(({ running, waiting }) => ({ isRunning: running, waiting }));
}
