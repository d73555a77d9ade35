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

/** An optional field that counts as absent when it is null or can't be read. */
function odd<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** An optional field that counts as absent when it is null; anything else that can't be read is an error. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const file = z.object({
  id,
  mime_type: odd(z.string().max(256)),
  caption: odd(text),
  filename: odd(text),
  voice: odd(z.boolean()),
});
const choice = z.object({ id: z.string().min(1).max(256), title: text.catch("") });
const amount = z.union([z.number(), z.string().max(40)]);

/** What a message holds, by its type. A part that can't be read counts as missing. */
const parts = {
  text: odd(z.object({ body: text })),
  image: odd(file),
  audio: odd(file),
  video: odd(file),
  document: odd(file),
  sticker: odd(file),
  reaction: odd(z.object({ message_id: id, emoji: odd(z.string().max(64)) })),
  interactive: odd(
    z.object({
      button_reply: odd(choice),
      list_reply: odd(choice),
      /** The answers of a flow or of a form for an address: JSON, as a text. */
      nfm_reply: odd(z.object({ body: odd(text), response_json: odd(text) })),
    }),
  ),
  button: odd(z.object({ text })),
  location: odd(z.object({ latitude: z.number(), longitude: z.number(), name: odd(text), address: odd(text) })),
  contacts: odd(
    z
      .array(
        z.object({
          name: odd(z.object({ formatted_name: text })),
          phones: odd(z.array(z.object({ phone: odd(text) }))),
        }),
      )
      .max(100),
  ),
  order: odd(
    z.object({
      text: odd(text),
      product_items: odd(
        z.array(
          z.object({ product_retailer_id: text, quantity: odd(amount), item_price: odd(amount), currency: odd(text) }),
        ),
      ),
    }),
  ),
  /** What WhatsApp does not pass on. */
  unsupported: odd(z.object({ type: z.string().max(64) })),
};

const content = z.object({
  ...parts,
  type: z.string().max(64),
  context: odd(
    z.object({
      id: odd(id),
      from: odd(personId),
      forwarded: odd(z.boolean()),
      frequently_forwarded: odd(z.boolean()),
      referred_product: odd(z.object({ catalog_id: odd(text), product_retailer_id: text })),
    }),
  ),
  /** The advertisement or post that brought the person here. */
  referral: odd(z.object({ source_type: odd(text), source_url: odd(text), headline: odd(text), body: odd(text) })),
});

/** What somebody wrote: a first version, or a new one. */
export type CloudContent = z.output<typeof content>;

/**
 * One message as Meta describes it. Without a sender or an id it can't be read. Types and parts follow the reference of
 * the `messages` webhook at developers.facebook.com.
 */
export const cloudMessageSchema = content.extend({
  id,
  /** The number. Missing when a person shows a user name instead; then the business-scoped id stands for them. */
  from: orNull(personId),
  from_user_id: orNull(personId),
  timestamp: seconds,
  /** Set in groups, which most numbers can't join. */
  group_id: orNull(z.string().max(256)),
  /** The new wording of an earlier message. */
  edit: odd(z.object({ original_message_id: id, message: content })),
  /** An earlier message that its sender took back. */
  revoke: odd(z.object({ original_message_id: id })),
});

export type CloudMessage = z.output<typeof cloudMessageSchema>;

/** What became of a message of ours. */
export const cloudStatusSchema = z.object({
  id,
  status: z.string().max(64),
  timestamp: seconds,
  recipient_id: orNull(personId),
  recipient_user_id: orNull(personId),
  errors: odd(
    z.array(
      z.object({
        code: z.number(),
        title: odd(text),
        message: odd(text),
        error_data: odd(z.object({ details: odd(text) })),
      }),
    ),
  ),
  /** What we gave along when we sent it: the delivery key. */
  biz_opaque_callback_data: odd(z.string().max(512)),
});

export type CloudStatus = z.output<typeof cloudStatusSchema>;

const contact = z.object({
  wa_id: odd(z.string()),
  user_id: odd(z.string()),
  profile: odd(z.object({ name: odd(text) })),
});

export type CloudContact = z.output<typeof contact>;

/** The value of a change with field `messages`. Its items are read one by one, so that a bad one harms no other. */
const changeSchema = z.object({
  metadata: z.object({ phone_number_id: z.string(), display_phone_number: z.string().catch("") }),
  contacts: z.array(contact).catch([]),
  messages: orNull(z.array(z.unknown())),
  statuses: orNull(z.array(z.unknown())),
});

export type CloudChange = z.output<typeof changeSchema>;

const notificationSchema = z.object({
  object: z.literal("whatsapp_business_account"),
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })) })),
});

export interface CloudNotification {
  readonly changes: readonly CloudChange[];
  /** Changes of messages that can't be read. */
  readonly unreadable: number;
}

/**
 * The changes of a notification that concern messages, in order. Undefined when the body is no notification of a WhatsApp
 * business account. Changes of other fields, such as a template's approval, are left out.
 */
export function readNotification(body: unknown): CloudNotification | undefined {
  const { data } = notificationSchema.safeParse(body);
  if (data === undefined) return undefined;
  const values = data.entry
    .flatMap(({ changes }) => changes)
    .filter(({ field }) => field === "messages")
    .map(({ value }) => changeSchema.safeParse(value).data);
  const changes = values.filter((change) => change !== undefined);
  return { changes, unreadable: values.length - changes.length };
}
