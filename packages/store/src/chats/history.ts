import { type Instant, instantOf, type ThreadId, type TurnId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { readOutcomes } from "../outbox/questions.ts";
import type { ChatHistory, ChatKey, ChatLine } from "../ports/chats.ts";
import { filesIn, keptAttachment } from "./chat-file.ts";
import { exactly, readPlace, writePlace } from "./place-in-time.ts";

interface Row {
  readonly id: string;
  readonly sender: ChatLine["from"];
  readonly display_name: string;
  readonly markdown: string | null;
  readonly at: Date;
  readonly exact: string;
  readonly source: string;
  readonly place: string;
  readonly thread_id: ThreadId | null;
  readonly turn_id: TurnId | null;
  readonly outcome: NonNullable<ChatLine["outcome"]> | null;
  readonly code: string | null;
  readonly can_retry: boolean | null;
  readonly choices: NonNullable<ChatLine["choices"]> | null;
  readonly outcomes: unknown;
  readonly files: readonly unknown[] | null;
  /** Those of them that were fetched, by the platform's refs. */
  readonly kept: Readonly<Record<string, unknown>> | null;
  readonly did: ChatLine["did"] | null;
  readonly of: string | null;
}

/** Not deleted, and before the place from which on others are known: of one instant, `source` and then `place` count. */
function isIn(at: string, source: string, place: string): string {
  return `${at} <= $4 and (${at} < $4 or '${source}' < $5 or '${source}' = $5 and ${place} < $6)
              and ${at} > coalesce((select deleted_at from chat where account_id = $1 and conversation_id = $2), '-infinity')`;
}

/**
 * Events that a retry recorded again are left out: people wrote them once. A committed text counts before it is sent. What
 * was sent instead of files and buttons is part of a text, once it has been made into messages.
 */
const text = `
  select line.*, ${exactly("at")} as exact,
         case when sender = 'person' and files is not null then (
           select jsonb_object_agg(attachment.body ->> 'ref', ${keptAttachment})
             from attachment join media using (sha256)
            where event_id = line.id and account_id = $1) end as kept
    from ((select event_id as id, 'person' as sender, body -> 'sender' ->> 'displayName' as display_name,
                  case when body ->> 'type' = 'message.created' then body -> 'message' ->> 'markdown'
                       else coalesce(choice_label($1, $2, body ->> 'messageId', body ->> 'actionId'), body ->> 'actionId') end
                    as markdown,
                  recorded_at as at, turn_id, null::text as outcome, null::text as code, null::boolean as can_retry,
                  null::jsonb as choices, null::json as outcomes, body #> '{message,attachments}' as files,
                  body -> 'conversation' ->> 'threadId' as thread_id,
                  case when body ->> 'type' = 'action.invoked' then 'press' end as did,
                  case when body ->> 'type' = 'action.invoked' then body ->> 'messageId' end as of, 'i' as source, seq as place
             from inbox
            where account_id = $1 and conversation_id = $2 and not again
              and body ->> 'type' in ('message.created', 'action.invoked') and ${isIn("recorded_at", "i", "seq")}
            order by recorded_at desc, seq desc limit $3)
          union all
          (select event_id, 'person', given.display_name, given.markdown, given.at, null, null, null, null, null, null, null,
                  given.thread_id, given.did, given.of_message, 'c', given.id
             from given_command as given
            where account_id = $1 and conversation_id = $2 and ${isIn("given.at", "c", "given.id")}
            order by given.at desc, given.id desc limit $3)
          union all
          (select delivery_key, 'agent', 'Agent',
                  case when parts is not null and (outbox.body ? 'choices' or outbox.body @? '$.attachments[0]')
                       then (select string_agg(part ->> 'markdown', E'\\n\\n' order by n)
                               from jsonb_array_elements(parts) with ordinality as given (part, n)
                              where part ->> 'markdown' <> '')
                       else outbox.body ->> 'markdown' end, created_at, turn_id, turn.state,
                  case when turn.state = 'failed' then coalesce(turn.reason, 'internal') end,
                  case when turn.state = 'failed' then turn_id is not distinct from (
                    select next.turn_id from session as held cross join lateral turn_to_retry(held) as next
                     where held.session_key = turn.session_key) end,
                  outbox.body -> 'choices',
                  case when delivery_key ~ '^(ask|person|group):' then shown_outcomes(delivery_key, outbox.body) end,
                  outbox.body -> 'attachments', outbox.body -> 'conversation' ->> 'threadId', null, null, 'o', id
             from outbox left join turn using (turn_id)
            where account_id = $1 and conversation_id = $2 and outbox.state not in ('failed', 'withdrawn')
                  and outbox.body ->> 'stopped' is distinct from 'withheld' and outbox.kind <> 'closing' and ${isIn("created_at", "o", "id")}
            order by created_at desc, id desc limit $3)) as line
   order by at desc, source desc, place desc
   limit $3`;

/** A page of a conversation. Throws `invalid_request` for a place that is none. */
export async function readHistory(
  database: Database,
  { accountId, conversationId }: ChatKey,
  limit: number,
  before: string | undefined,
): Promise<ChatHistory> {
  const { at, beside } = before === undefined ? { at: "infinity", beside: "" } : readPlace(before);
  const [, source = "", place = "0"] = /^([cio])(\d{1,18})$/.exec(beside) ?? [];
  const values = [accountId, conversationId, limit + 1, at, source, place];
  const rows = await database.query<Row>({ name: "chat_history", text, values });
  const shown = rows.slice(0, limit);
  const oldest = shown.at(-1);
  const next = rows.length <= limit || oldest === undefined ? {} : { next: placeOf(oldest) };
  return { lines: shown.toReversed().map(toLine), ...next };
}

function placeOf({ exact, source, place }: Row): string {
  return writePlace({ at: exact, beside: `${source}${place}` });
}

function toLine(row: Row): ChatLine {
  const { code, can_retry, choices } = row;
  const isAnswer = code !== null && !row.id.startsWith("ask:");
  return {
    id: row.id,
    from: row.sender,
    displayName: row.display_name,
    markdown: row.markdown ?? "",
    at: instantOf(row.at.getTime()) satisfies Instant,
    ...(row.thread_id === null ? {} : { threadId: row.thread_id }),
    ...filesOf(row),
    ...(row.turn_id === null ? {} : { turnId: row.turn_id }),
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(isAnswer ? { failure: { code, canRetry: can_retry === true } } : {}),
    ...(choices === null || choices.length === 0 ? {} : { choices }),
    ...(row.outcomes === null ? {} : outcomesOf(row)),
    ...(row.did == null ? {} : { did: row.did }),
    ...(row.of === null ? {} : { of: row.of }),
  };
}

function outcomesOf({ outcomes }: Row): Pick<ChatLine, "outcomes"> {
  const found = readOutcomes(outcomes);
  return found.length === 0 ? {} : { outcomes: found };
}

function filesOf({ files, kept }: Row): Pick<ChatLine, "files"> {
  const found = filesIn(files).flatMap((file) => filesIn([kept?.[file.ref] ?? file]));
  return found.length === 0 ? {} : { files: found };
}
