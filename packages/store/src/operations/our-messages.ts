import type { AccountId, ConversationId, MessageId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";

export async function wasSentByUs(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
  messageId: MessageId,
): Promise<boolean> {
  const rows = await database.query({
    name: "sent_by_us",
    text: "select 1 from sent_message where message_id = $1 and conversation_id = $2 and account_id = $3",
    values: [messageId, conversationId, accountId],
  });
  return rows.length > 0;
}

/** Undefined for a message or button that is not ours. */
export async function readChoiceLabel(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
  messageId: MessageId,
  choiceId: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ label: string | null }>({
    name: "choice_label",
    text: "select choice_label($1, $2, $3, $4) as label",
    values: [accountId, conversationId, messageId, choiceId],
  });
  return row?.label ?? undefined;
}
