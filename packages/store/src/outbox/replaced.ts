import type { MessageId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { OutboxRow } from "../ports/outbox.ts";

/** Nobody looks at what stands further up, and a message that long has gone to the archive on some platforms. */
const text = `
  select parts -> 0 ->> 'messageId' as message_id
    from outbox
   where account_id = $1 and conversation_id = $2 and created_at > clock_timestamp() - interval '7 days' and id < $3
     and body ->> 'subject' = $4 and body -> 'conversation' ->> 'threadId' is not distinct from $5
     and state = 'sent' and jsonb_array_length(parts) = 1
   order by id desc
   limit 1`;

/** The message of the newest notice about the same subject in the same thread, if it is one message. */
export async function readReplaced(
  database: Database,
  { id, conversation, replaces }: Pick<OutboxRow, "id" | "conversation" | "replaces">,
): Promise<MessageId | undefined> {
  if (replaces === undefined) return undefined;
  const { accountId, conversationId, threadId = null } = conversation;
  const [row] = await database.query<{ message_id: MessageId | null }>({
    name: "replaced_notice",
    text,
    values: [accountId, conversationId, id, replaces, threadId],
  });
  return row?.message_id ?? undefined;
}
