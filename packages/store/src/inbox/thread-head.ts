import {
  type Attachment,
  type Conversation,
  inboundEventSchema,
  type OutboundAttachment,
  outboundAttachmentSchema,
  type SessionKey,
  type ThreadId,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { read } from "../database/read-rows.ts";
import type { FoundHead, ThreadHead } from "../ports/thread-head.ts";
import { readHeard } from "./heard-message.ts";

/** Characters of an answer that is quoted. */
const longest = 4_000;
/** Files of an answer that are quoted. */
const mostFiles = 20;

const filesSchema = z.array(outboundAttachmentSchema);

/** A message of ours whose id is that of the thread, and what it answered. A preview that became the answer is known by its turn only. */
const ours = `
  select true as is_ours, left(outbox.body ->> 'markdown', $5) as said, outbox.body -> 'attachments' as files, asked.body as asked
    from sent_message
         join outbox on outbox.id = sent_message.outbox_id
                     or outbox.turn_id = sent_message.turn_id and outbox.kind = 'reply'
         left join turn on turn.turn_id = outbox.turn_id
         left join lateral (
           select inbox.body
             from inbox
            where inbox.session_key = turn.session_key and inbox.turn_id = turn.turn_id
              and inbox.seq between turn.first_seq and turn.last_seq
              and inbox.body ->> 'type' in ('message.created', 'message.edited')
            order by inbox.seq desc
            limit 1
         ) as asked on true
   where message_id = $3 and sent_message.conversation_id = $2 and sent_message.account_id = $1
   limit 1`;

/** A message to us whose id is that of the thread, and what was answered in the same conversation: the last of its versions that has an answer. */
const toUs = `
  select false as is_ours, answer.said, answer.files, inbox.body as asked
    from seen
         join inbox using (event_id, account_id)
         left join lateral (
           select left(string_agg(outbox.body ->> 'markdown', E'\\n\\n' order by outbox.id), $5) as said,
                  jsonb_path_query_array(jsonb_agg(outbox.body -> 'attachments' order by outbox.id), '$[*][*]') as files
             from outbox
            where outbox.turn_id = inbox.turn_id and outbox.kind = 'reply' and outbox.state <> 'failed'
              and outbox.conversation_id = $2 and outbox.account_id = $1
         ) as answer on true
   where seen.message_id = $3 and seen.conversation_id = $2 and seen.account_id = $1
     and inbox.body ->> 'type' in ('message.created', 'message.edited')
   order by answer.said is null, inbox.recorded_at desc
   limit 1`;

/** Since when something of the thread is among the last events of the session. Not all scopes give a thread a session of its own. */
const begun = `
  (select extract(epoch from max(recorded_at))::float8 * 1000
     from inbox
    where session_key = $4 and body -> 'conversation' ->> 'threadId' = $3
      and seq > (select last_seq from session where session_key = $4) - 200)`;

interface HeadRow {
  /** Null where it has not begun. */
  readonly begun: number | null;
  /** Null where there is no head. */
  readonly is_ours: boolean | null;
  readonly said: string | null;
  readonly files: unknown;
  readonly asked: unknown;
}

export async function readThreadHead(
  database: Database,
  conversation: Pick<Conversation, "accountId" | "conversationId">,
  threadId: ThreadId,
  sessionKey: SessionKey,
): Promise<FoundHead> {
  const { accountId, conversationId } = conversation;
  const [row] = await database.query<HeadRow>({
    name: "thread_head",
    text: `select one.begun, head.*
             from (select ${begun} as begun) as one
                  left join lateral (
                    select *
                      from ((${ours}) union all (${toUs})) as found
                     where one.begun is not null or not exists (select from session where session.session_key = $4)
                     limit 1
                  ) as head on true`,
    values: [accountId, conversationId, threadId, sessionKey, longest],
  });
  if (row === undefined) return {};
  const head = row.is_ours === null ? undefined : await headIn(row, conversation, database);
  return {
    ...(head && { head }),
    ...(row.begun !== null && { begun: row.begun }),
  };
}

async function headIn(
  row: HeadRow,
  conversation: Pick<Conversation, "accountId" | "conversationId">,
  database: Database,
): Promise<ThreadHead | undefined> {
  const { data: event } = inboundEventSchema.safeParse(row.asked);
  const answer = row.said === null && !row.is_ours ? undefined : answerOf(row);
  // What others there can't see, or was taken back, is not shown to them now.
  if (event === undefined || !("message" in event) || event.message.unseen) return row.is_ours ? answer : undefined;
  const asked = await readHeard(database, conversation, event.message.messageId);
  return asked === undefined ? answer : { ...answer, asked };
}

function answerOf({ said, files }: HeadRow): ThreadHead {
  const attachments = read(filesSchema, files ?? [])
    .slice(0, mostFiles)
    .map(toAttachment);
  return { markdown: (said ?? "").toWellFormed(), ...(attachments.length === 0 ? {} : { attachments }) };
}

function toAttachment(file: OutboundAttachment): Attachment {
  return { kind: kindOf(file.mimeType), ...file };
}

function kindOf(mimeType: string): Attachment["kind"] {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
