import {
  type AccountId,
  inboundEventSchema,
  type MessageId,
  type ReceivedMessage,
  type UserId,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";

/** UTF-16 units of a text that is quoted. */
const longest = 20_000;
/** Files of a message that is quoted. */
const mostFiles = 20;
/** Ids that are looked up, and messages under one id that are looked at: whoever writes one chooses its id. */
const most = { ids: 50, perId: 20 };

/** The first of these messages that the reader wrote to the account, or got by what its sender says, as a quote. */
export async function readReceived(
  database: Database,
  accountId: AccountId,
  reader: UserId,
  messageIds: readonly MessageId[],
): Promise<ReceivedMessage | undefined> {
  if (messageIds.length === 0) return undefined;
  const [row] = await database.query<{ body: unknown }>({
    name: "received_message",
    text: `select inbox.body
             from unnest($3::text[]) with ordinality as given (message_id, n)
                  cross join lateral (
                    select event_id, account_id, recorded_at
                      from seen
                     where message_id = given.message_id and account_id = $1
                     order by recorded_at
                     limit ${most.perId}
                  ) as known
                  join inbox using (event_id, account_id)
            where inbox.body ->> 'type' = 'message.created'
              and (inbox.body -> 'sender' ->> 'userId' = $2 or inbox.body -> 'message' -> 'recipients' ? $2)
            order by given.n, known.recorded_at
            limit 1`,
    values: [accountId, reader, messageIds.slice(0, most.ids)],
  });
  const { data: event } = inboundEventSchema.safeParse(row?.body);
  if (event?.type !== "message.created") return undefined;
  const { conversation, sender, message } = event;
  const attachments = message.attachments.slice(0, mostFiles);
  return {
    conversation,
    sender,
    quote: {
      userId: sender.userId,
      displayName: sender.displayName,
      markdown: cut(message.markdown),
      ...(attachments.length === 0 ? {} : { attachments }),
    },
  };
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()} …`;
}
