import {
  brandAs,
  type Conversation,
  inboundEventSchema,
  type MessageId,
  type Quote,
  type UserId,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";

/** UTF-16 units of a text that is quoted. */
const quoteLength = 1_000;

/** Platforms have their own ids for an account; none looks like this one. */
const ourselves = brandAs<UserId>("agent");

/** A message of a conversation under this id: recorded, as it reads now, or of ours. Undefined: neither, or it was taken back. */
export async function readMessage(
  database: Database,
  conversation: Pick<Conversation, "accountId" | "conversationId">,
  messageId: MessageId,
): Promise<Quote | undefined> {
  return (await readHeard(database, conversation, messageId)) ?? (await readSent(database, conversation, messageId));
}

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

/** A long answer is several messages, of which this is one. A preview that became the answer is known by its turn only. */
async function readSent(
  database: Database,
  { accountId, conversationId }: Pick<Conversation, "accountId" | "conversationId">,
  messageId: MessageId,
): Promise<Quote | undefined> {
  const [row] = await database.query<{ said: string | null }>({
    name: "sent_words",
    text: `select left(coalesce(part.body ->> 'markdown', outbox.body ->> 'markdown'), $4) as said
             from sent_message as sent
                  join outbox on outbox.id = sent.outbox_id
                              or sent.outbox_id is null and outbox.turn_id = sent.turn_id and outbox.kind = 'reply'
                  left join lateral (
                    select body from jsonb_array_elements(outbox.parts) as parts (body)
                     where body ->> 'messageId' = sent.message_id
                     limit 1
                  ) as part on true
            where sent.message_id = $3 and sent.conversation_id = $2 and sent.account_id = $1
            limit 1`,
    values: [accountId, conversationId, messageId, quoteLength],
  });
  const markdown = row?.said?.slice(0, quoteLength).toWellFormed() ?? "";
  return markdown === "" ? undefined : { userId: ourselves, displayName: "", markdown, own: true };
}
