import {
  type AccountId,
  type ConversationId,
  type Instant,
  instantOf,
  type MediaRef,
  type MessageId,
  type TurnId,
} from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { readOutcomes } from "../outbox/questions.ts";
import type { ChatFile, ChatLine } from "../ports/operations.ts";

interface Row {
  readonly id: string;
  readonly sender: ChatLine["from"];
  readonly display_name: string;
  readonly markdown: string;
  readonly at: Date;
  readonly turn_id: TurnId | null;
  readonly outcome: NonNullable<ChatLine["outcome"]> | null;
  readonly choices: NonNullable<ChatLine["choices"]> | null;
  readonly outcomes: unknown;
  readonly files: readonly unknown[] | null;
}

/**
 * Events that a retry recorded again are left out: people wrote them once. A committed text counts before it is sent. What
 * was sent instead of files and buttons is part of a text, once it has been made into messages.
 */
const text = `
  select *
    from ((select event_id as id, 'person' as sender, body -> 'sender' ->> 'displayName' as display_name,
                  body -> 'message' ->> 'markdown' as markdown, recorded_at as at, turn_id, null::text as outcome,
                  null::jsonb as choices, null::json as outcomes, body #> '{message,attachments}' as files, seq as place
             from inbox
            where account_id = $1 and conversation_id = $2 and not again and body ->> 'type' = 'message.created'
              and recorded_at < $4
            order by recorded_at desc, seq desc limit $3)
          union all
          (select delivery_key, 'agent', 'Agent',
                  case when parts is not null and (outbox.body ? 'choices' or outbox.body @? '$.attachments[0]')
                       then (select string_agg(part ->> 'markdown', E'\\n\\n' order by n)
                               from jsonb_array_elements(parts) with ordinality as given (part, n)
                              where part ->> 'markdown' <> '')
                       else outbox.body ->> 'markdown' end, created_at, turn_id, turn.state,
                  outbox.body -> 'choices',
                  case when delivery_key ~ '^(ask|person):' then shown_outcomes(delivery_key, outbox.body) end,
                  outbox.body -> 'attachments', id
             from outbox left join turn using (turn_id)
            where account_id = $1 and conversation_id = $2 and outbox.state not in ('failed', 'withdrawn')
                  and outbox.kind <> 'closing' and created_at < $4
            order by created_at desc, id desc limit $3)) as line
   order by at desc, place desc
   limit $3`;

export async function readConversation(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
  limit: number,
  before: Instant | undefined,
): Promise<readonly ChatLine[]> {
  const values = [accountId, conversationId, limit, before ?? "infinity"];
  const rows = await database.query<Row>({ name: "conversation", text, values });
  return rows.toReversed().map((row) => ({
    id: row.id,
    from: row.sender,
    displayName: row.display_name,
    markdown: row.markdown,
    at: instantOf(row.at.getTime()),
    ...filesOf(row),
    ...(row.turn_id === null ? {} : { turnId: row.turn_id }),
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
    ...(row.choices === null || row.choices.length === 0 ? {} : { choices: row.choices }),
    ...decided(row),
  }));
}

const fileSchema = z.object({
  ref: z.string() as unknown as z.ZodType<MediaRef, MediaRef>,
  name: z.string().default("file"),
  mimeType: z.string(),
  byteLength: z.int().nonnegative().exactOptional(),
}) satisfies z.ZodType<ChatFile>;

function filesOf({ files }: Row): Pick<ChatLine, "files"> {
  const found = (files ?? []).flatMap((one) => fileSchema.safeParse(one).data ?? []);
  return found.length === 0 ? {} : { files: found };
}

function decided({ outcomes }: Row): Pick<ChatLine, "outcomes"> {
  const found = outcomes === null ? [] : readOutcomes(outcomes);
  return found.some(({ settlement }) => settlement !== undefined) ? { outcomes: found } : {};
}

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

/**
 * A preview that was edited into the reply is known by its turn only. A web page shows a text, and has its buttons pressed, as soon
 * as it is committed: there it is known by its own key.
 */
export async function readChoiceLabel(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
  messageId: MessageId,
  choiceId: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ label: string }>({
    name: "choice_label",
    text: `select choice ->> 'label' as label
             from (select body from outbox where delivery_key = $1 and conversation_id = $2 and account_id = $3
                   union all
                   select outbox.body
                     from sent_message
                          join outbox on outbox.id = sent_message.outbox_id
                                      or outbox.turn_id = sent_message.turn_id and outbox.kind = 'reply'
                    where message_id = $1 and sent_message.conversation_id = $2 and sent_message.account_id = $3
                  ) as shown
                  cross join lateral jsonb_array_elements(body -> 'choices') as choice
            where choice ->> 'id' = $4
            limit 1`,
    values: [messageId, conversationId, accountId, choiceId],
  });
  return row?.label;
}
