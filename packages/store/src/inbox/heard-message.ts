import { type Conversation, inboundEventSchema, type MessageId, type Quote } from "@talaria/protocol";
import type { Database } from "../database/database.ts";

/** UTF-16 units of a text that is quoted. */
const quoteLength = 1_000;

/** What was recorded in a conversation under this id, as it reads now. Undefined: nothing, or it was taken back. */
export async function readHeard(
  database: Database,
  { accountId, conversationId }: Pick<Conversation, "accountId" | "conversationId">,
  messageId: MessageId,
): Promise<Quote | undefined> {
  const [row] = await database.query<{ body: unknown }>({
    name: "heard_message",
    text: `select inbox.body
             from seen join inbox using (event_id, account_id)
            where seen.message_id = $3 and seen.account_id = $1 and seen.conversation_id = $2
              and inbox.body ->> 'type' in ('message.created', 'message.edited', 'message.deleted')
            order by inbox.recorded_at desc
            limit 1`,
    values: [accountId, conversationId, messageId],
  });
  const { data: event } = inboundEventSchema.safeParse(row?.body);
  if (event === undefined || !("message" in event)) return undefined;
  const { markdown, attachments } = event.message;
  return {
    userId: event.sender.userId,
    displayName: event.sender.displayName,
    markdown: markdown.slice(0, quoteLength).toWellFormed(),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}
