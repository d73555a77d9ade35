import type { MediaRef } from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { ChatFile, ChatKey } from "../ports/chats.ts";

const fileSchema = z.object({
  ref: z.string() as unknown as z.ZodType<MediaRef, MediaRef>,
  name: z.string().default("file"),
  mimeType: z.string(),
  byteLength: z.int().nonnegative().exactOptional(),
}) satisfies z.ZodType<ChatFile>;

/** Those of the attachments of a line that this release can read. */
export function filesIn(attachments: readonly unknown[] | null): readonly ChatFile[] {
  return (attachments ?? []).flatMap((one) => fileSchema.safeParse(one).data ?? []);
}

const isShown = (at: string) =>
  `${at} > coalesce((select deleted_at from chat where account_id = $1 and conversation_id = $2), '-infinity')`;

/** Each half ends at the newest line that has it. */
const text = `
  select files
    from ((select body #> '{message,attachments}' as files, recorded_at as at
             from inbox
            where account_id = $1 and conversation_id = $2 and ${isShown("recorded_at")} and not again
              and body ->> 'type' = 'message.created' and body #> '{message,attachments}' @> $3::jsonb
            order by recorded_at desc
            limit 1)
          union all
          (select body -> 'attachments', created_at
             from outbox
            where account_id = $1 and conversation_id = $2 and ${isShown("created_at")}
              and state not in ('failed', 'withdrawn') and kind <> 'closing' and body -> 'attachments' @> $3::jsonb
            order by created_at desc
            limit 1)) as line
   order by at desc
   limit 1`;

/** The file as the newest line has it that shows it. */
export async function readChatFile(
  database: Database,
  { accountId, conversationId }: ChatKey,
  ref: string,
): Promise<ChatFile | undefined> {
  const values = [accountId, conversationId, JSON.stringify([{ ref }])];
  const [row] = await database.query<{ files: readonly unknown[] }>({ name: "chat_file", text, values });
  return row && filesIn(row.files).findLast((file) => file.ref === ref);
}
