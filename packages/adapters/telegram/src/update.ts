import { z } from "zod";

/**
 * What we read of Telegram's updates. Nothing here trusts the sender: an odd optional field counts as absent, numbers
 * may come as text, and ids become decimal text. Unknown fields and unknown kinds of updates are left out.
 */

const id = z
  .union([z.int(), z.string().regex(/^-?\d{1,19}$/)])
  .transform(String)
  .refine((text) => text !== "");

/** An optional field that counts as absent when it is odd. */
function odd<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

const number = z.union([z.number(), z.string().regex(/^-?\d{1,19}$/)]).transform(Number);

const user = z.object({
  id,
  is_bot: odd(z.boolean()),
  first_name: odd(z.string()),
  last_name: odd(z.string()),
  username: odd(z.string()),
  /** Of the person's app: core.telegram.org/bots/api#user. */
  language_code: odd(z.string()),
});

const chat = z.object({
  id,
  type: odd(z.string()),
  title: odd(z.string()),
  first_name: odd(z.string()),
  last_name: odd(z.string()),
  username: odd(z.string()),
  is_forum: odd(z.boolean()),
});

const entity = z.object({
  type: z.string(),
  offset: z.int().min(0),
  length: z.int().min(1),
  url: odd(z.string()),
  language: odd(z.string()),
  user: odd(user),
});

/** More formatting than Telegram lets through is ignored. */
const maxEntities = 400;

const entities = odd(
  z.array(z.unknown()).transform((list) =>
    list.slice(0, maxEntities).flatMap((item) => {
      const read = entity.safeParse(item);
      return read.success ? [read.data] : [];
    }),
  ),
);

const file = z.object({
  file_id: z.string().regex(/^[\x21-\x7e]{1,500}$/),
  file_size: odd(number),
  mime_type: odd(z.string().max(200)),
  file_name: odd(z.string()),
});

const photoSize = file.extend({ width: odd(number), height: odd(number) });
const sticker = file.extend({ emoji: odd(z.string()), is_animated: odd(z.boolean()), is_video: odd(z.boolean()) });

const origin = z.object({
  sender_user: odd(user),
  sender_user_name: odd(z.string()),
  sender_chat: odd(chat),
  chat: odd(chat),
});

const task = z.object({ id, text: z.string(), completion_date: odd(number) });
const checklist = z.object({ title: odd(z.string()), tasks: odd(z.array(task)) });

const content = {
  text: odd(z.string()),
  entities,
  caption: odd(z.string()),
  caption_entities: entities,
  photo: odd(z.array(photoSize).min(1)),
  document: odd(file),
  voice: odd(file),
  audio: odd(file),
  video: odd(file),
  video_note: odd(file.extend({ duration: odd(number) })),
  animation: odd(file),
  sticker: odd(sticker),
  poll: odd(
    z.object({
      question: odd(z.string()),
      type: odd(z.string()),
      options: odd(z.array(z.object({ text: z.string(), voter_count: odd(number) }))),
    }),
  ),
  venue: odd(z.object({ title: odd(z.string()), address: odd(z.string()) })),
  location: odd(z.object({ latitude: number, longitude: number })),
  contact: odd(z.object({ first_name: odd(z.string()), last_name: odd(z.string()), phone_number: odd(z.string()) })),
  dice: odd(z.object({ emoji: odd(z.string()), value: odd(number) })),
  game: odd(z.object({ title: odd(z.string()) })),
  checklist: odd(checklist),
  checklist_tasks_done: odd(
    z.object({
      checklist_message: odd(z.object({ checklist: odd(checklist) })),
      marked_as_done_task_ids: odd(z.array(id)),
      marked_as_not_done_task_ids: odd(z.array(id)),
    }),
  ),
  checklist_tasks_added: odd(
    z.object({ checklist_message: odd(z.object({ checklist: odd(checklist) })), tasks: odd(z.array(task)) }),
  ),
  gift: odd(z.object({ gift: odd(z.object({ star_count: odd(number) })), text: odd(z.string()) })),
  unique_gift: odd(
    z.object({ gift: odd(z.object({ base_name: odd(z.string()), number: odd(number) })), text: odd(z.string()) }),
  ),
  web_app_data: odd(z.object({ data: z.string(), button_text: odd(z.string()) })),
  users_shared: odd(
    z.object({
      users: odd(z.array(z.object({ user_id: id, first_name: odd(z.string()), last_name: odd(z.string()) }))),
    }),
  ),
  chat_shared: odd(z.object({ chat_id: id, title: odd(z.string()) })),
  story: odd(z.object({})),
  invoice: odd(z.object({ title: odd(z.string()) })),
  giveaway: odd(z.object({})),
  paid_media: odd(z.object({})),
  rich_message: odd(z.object({ blocks: odd(z.array(z.unknown())) })),
};

/** The fields of a message that hold what was said or sent. */
export const contentNames = Object.keys(content) as readonly (keyof typeof content)[];

const place = {
  ...{ message_id: id, from: odd(user), sender_chat: odd(chat), chat, date: odd(number) },
  /** The inline bot that has made what was sent (core.telegram.org/bots/api#message). */
  via_bot: odd(user),
};

const message = z.object({
  ...place,
  ...content,
  /** Of a message that called us into a chat (core.telegram.org/bots/api#message). */
  guest_query_id: odd(z.string().regex(/^[\x21-\x7e]{1,200}$/)),
  message_thread_id: odd(id),
  is_topic_message: odd(z.boolean()),
  edit_date: odd(number),
  forward_origin: odd(origin),
  reply_to_message: odd(z.object({ ...place, ...content, forward_origin: odd(origin) })),
  external_reply: odd(z.object({ ...content, origin: odd(origin) })),
  quote: odd(z.object({ text: z.string(), entities })),
  media_group_id: odd(id),
  migrate_to_chat_id: odd(id),
  migrate_from_chat_id: odd(id),
});

const keyboard = z.object({
  inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: odd(z.string()) }))),
});

const reactions = z.array(z.object({ type: z.string(), emoji: odd(z.string()), custom_emoji_id: odd(z.string()) }));

const updateSchema = z.object({
  update_id: z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(Number),
  message: odd(message),
  edited_message: odd(message),
  guest_message: odd(message),
  callback_query: odd(
    z.object({
      id: z.string(),
      from: odd(user),
      data: odd(z.string()),
      message: odd(
        z.object({
          message_id: id,
          chat,
          message_thread_id: odd(id),
          is_topic_message: odd(z.boolean()),
          reply_markup: odd(keyboard),
          /** 0: Telegram does not show the message any more (core.telegram.org/bots/api#inaccessiblemessage). */
          date: odd(number),
          text: odd(z.string()),
          entities,
          caption: odd(z.string()),
          caption_entities: entities,
          rich_message: odd(z.object({})),
        }),
      ),
    }),
  ),
  message_reaction: odd(
    z.object({
      chat,
      message_id: id,
      user: odd(user),
      actor_chat: odd(chat),
      date: odd(number),
      old_reaction: reactions,
      new_reaction: reactions,
    }),
  ),
  stopped_message_generation: odd(z.object({ chat, message_thread_id: odd(id), draft_id: id })),
  my_chat_member: odd(
    z.object({
      chat,
      from: odd(user),
      old_chat_member: odd(z.object({ status: z.string() })),
      new_chat_member: z.object({ status: z.string() }),
    }),
  ),
});

export type TelegramUpdate = z.output<typeof updateSchema>;
export type TelegramMessage = z.output<typeof message>;
export type TelegramReply = NonNullable<TelegramMessage["reply_to_message"]>;
export type TelegramPress = NonNullable<TelegramUpdate["callback_query"]>;
export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;
export type TelegramEntity = z.output<typeof entity>;
export type TelegramFile = z.output<typeof file>;
export type TelegramOrigin = z.output<typeof origin>;
export type TelegramContent = Pick<TelegramMessage, keyof typeof content>;

/** Reads one update. Undefined when it has no usable `update_id`, so that nothing can be said about it. */
export function readUpdate(raw: unknown): TelegramUpdate | undefined {
  const read = updateSchema.safeParse(raw);
  return read.success ? read.data : undefined;
}

/** The kinds of updates we ask Telegram for: it sends no others, and these until it is asked for something else. */
export function updatesFor({ guestMode }: { readonly guestMode: boolean }): readonly (typeof knownUpdates)[number][] {
  return guestMode ? knownUpdates : knownUpdates.filter((kind) => kind !== "guest_message");
}

/** The kinds of updates that we read. */
export const knownUpdates = [
  "message",
  "edited_message",
  "guest_message",
  "callback_query",
  "message_reaction",
  "stopped_message_generation",
  "my_chat_member",
] as const;
