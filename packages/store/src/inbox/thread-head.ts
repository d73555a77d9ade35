import { type Conversation, inboundEventSchema, type SessionKey, type ThreadId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { ThreadHead } from "../ports/inbox.ts";
import { readHeard } from "./heard-message.ts";

/** Characters of an answer that is quoted. */
const longest = 4_000;

/**
 * A message of ours whose id is that of the thread, and what it answered. A preview that became the answer is known by its turn only.
 * Undefined: it is not ours or too old, or the session has begun already.
 */
export async function readThreadHead(
  database: Database,
  conversation: Pick<Conversation, "accountId" | "conversationId">,
  threadId: ThreadId,
  sessionKey: SessionKey,
): Promise<ThreadHead | undefined> {
  const { accountId, conversationId } = conversation;
  const [row] = await database.query<{ said: string | null; asked: unknown }>({
    name: "thread_head",
    text: `select left(outbox.body ->> 'markdown', $5) as said, asked.body as asked
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
              and not exists (select from session where session.session_key = $4)
            limit 1`,
    values: [accountId, conversationId, threadId, sessionKey, longest],
  });
  if (row === undefined) return undefined;
  const { data: event } = inboundEventSchema.safeParse(row.asked);
  const markdown = (row.said ?? "").toWellFormed();
  // What others there can't see, or was taken back, is not shown to them now.
  if (event === undefined || !("message" in event) || event.message.unseen) return { markdown };
  const asked = await readHeard(database, conversation, event.message.messageId);
  return asked === undefined ? { markdown } : { markdown, asked };
}
