import { brandAs, type MediaRef } from "@talaria/protocol";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { hashOf } from "../media/media-ref.ts";
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

/** What a person sent, as the platform described it and as the store has it. */
export const keptAttachment = `attachment.body || jsonb_build_object(
  'ref', 'sha256:' || encode(media.sha256, 'hex'), 'mimeType', media.mime_type, 'byteLength', media.byte_length)`;

/** Each part ends at the newest line that has it: by its own ref, and by that of the platform that it was fetched from. */
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
            limit 1)
          union all
          (select jsonb_build_array(${keptAttachment}), recorded_at
             from attachment join inbox using (event_id, account_id) join media using (sha256)
            where attachment.sha256 = $4 and account_id = $1 and conversation_id = $2 and ${isShown("recorded_at")} and not again
              and inbox.body ->> 'type' = 'message.created'
            order by recorded_at desc
            limit 1)) as line
   order by at desc
   limit 1`;

/** The file as the newest line has it that shows it. */
export async function readChatFile(
  database: Database,
  { accountId, conversationId }: ChatKey,
  ref: string,
): Promise<ChatFile | undefined> {
  const values = [accountId, conversationId, JSON.stringify([{ ref }]), hashOf(brandAs<MediaRef>(ref)) ?? null];
  const [row] = await database.query<{ files: readonly unknown[] }>({ name: "chat_file", text, values });
  return row && filesIn(row.files).findLast((file) => file.ref === ref);
}
