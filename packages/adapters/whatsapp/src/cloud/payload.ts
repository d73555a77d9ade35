import { z } from "zod";

const text = z.string().max(100_000);
/** Meta's ids of messages and files, and people's numbers and business-scoped ids. */
const id = z.string().regex(/^[\w.=+/:-]{1,256}$/);
const personId = z.string().regex(/^[A-Za-z0-9][\w.]{2,127}$/);
const seconds = z.union([
  z
    .string()
    .regex(/^-?\d{1,16}$/)
    .transform(Number),
  z.number(),
]);

const file = z.object({
  id,
  mime_type: z.string().max(256).optional(),
  caption: text.optional(),
  filename: text.optional(),
  voice: z.boolean().optional(),
});
const choice = z.object({ id: z.string().min(1).max(256), title: text.default("") });

/** What a message holds, by its type. A part that can't be read counts as missing. */
const content = z.object({
  text: z.object({ body: text }).optional().catch(undefined),
  image: file.optional().catch(undefined),
  audio: file.optional().catch(undefined),
  video: file.optional().catch(undefined),
  document: file.optional().catch(undefined),
  sticker: file.optional().catch(undefined),
  reaction: z
    .object({ message_id: id, emoji: z.string().max(64).optional() })
    .optional()
    .catch(undefined),
  interactive: z
    .object({
      type: z.string(),
      button_reply: choice.optional().catch(undefined),
      list_reply: choice.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  button: z.object({ text }).optional().catch(undefined),
  location: z
    .object({ latitude: z.number(), longitude: z.number(), name: text.optional(), address: text.optional() })
    .optional()
    .catch(undefined),
  contacts: z
    .array(
      z.object({
        name: z.object({ formatted_name: text }).optional().catch(undefined),
        phones: z
          .array(z.object({ phone: text.optional() }))
          .optional()
          .catch(undefined),
      }),
    )
    .max(100)
    .optional()
    .catch(undefined),
  order: z.object({ text: text.optional() }).optional().catch(undefined),
});

export type CloudContent = z.output<typeof content>;

/** One message as Meta describes it. Without a sender or an id it can't be read. */
export const cloudMessageSchema = content.extend({
  id,
  /** The number. Missing when a person shows a user name instead; then the business-scoped id stands for them. */
  from: personId.optional(),
  from_user_id: personId.optional(),
  timestamp: seconds,
  type: z.string().max(64),
  /** Set in groups, which most numbers can't join. */
  group_id: z.string().max(256).optional(),
  context: z.object({ id: id.optional(), from: personId.optional() }).optional().catch(undefined),
});

export type CloudMessage = z.output<typeof cloudMessageSchema>;

/** What became of a message of ours. */
export const cloudStatusSchema = z.object({
  id,
  status: z.string().max(64),
  timestamp: seconds,
  recipient_id: personId.optional(),
  recipient_user_id: personId.optional(),
  errors: z
    .array(
      z.object({
        code: z.number(),
        title: text.optional(),
        message: text.optional(),
        error_data: z.object({ details: text.optional() }).optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  /** What we gave along when we sent it: the delivery key. */
  biz_opaque_callback_data: z.string().max(512).optional().catch(undefined),
});

export type CloudStatus = z.output<typeof cloudStatusSchema>;

const contact = z.object({
  wa_id: z.string().optional().catch(undefined),
  user_id: z.string().optional().catch(undefined),
  profile: z
    .object({ name: text.optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

export type CloudContact = z.output<typeof contact>;

/** The value of a change with field `messages`. Its items are read one by one, so that a bad one harms no other. */
const changeSchema = z.object({
  metadata: z.object({ phone_number_id: z.string(), display_phone_number: z.string().catch("") }),
  contacts: z.array(contact).catch([]),
  messages: z.array(z.unknown()).catch([]),
  statuses: z.array(z.unknown()).catch([]),
});

export type CloudChange = z.output<typeof changeSchema>;

const notificationSchema = z.object({
  object: z.literal("whatsapp_business_account"),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

/**
 * The changes of a notification that concern messages, in order. Undefined when the body is no notification of a WhatsApp
 * business account. Changes of other fields, such as a template's approval, are left out.
 */
export function readNotification(body: unknown): readonly CloudChange[] | undefined {
  const { data } = notificationSchema.safeParse(body);
  return data?.entry
    .flatMap(({ changes }) => changes)
    .flatMap(({ field, value }) => {
      const change = field === "messages" ? changeSchema.safeParse(value).data : undefined;
      return change === undefined ? [] : [change];
    });
}
