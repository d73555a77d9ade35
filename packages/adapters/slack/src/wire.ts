import { z } from "zod";

const id = z.string().regex(/^[A-Z0-9]{2,40}$/);
/** Seconds since 1970 with six places: a message's id in its channel. */
const ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/);
const text = z.string().max(200_000);
/** What becomes part of an id of ours. */
const key = z.string().regex(/^[\w.:-]{1,200}$/);

const file = z.object({
  id,
  name: text.nullish(),
  title: text.nullish(),
  mimetype: z.string().max(200).nullish(),
  size: z.int().min(0).optional().catch(undefined),
  subtype: z.string().max(100).nullish(),
  mode: z.string().max(100).optional(),
});

const message = z.object({
  subtype: z.string().optional(),
  user: id.optional(),
  bot_id: id.optional().catch(undefined),
  username: text.optional(),
  bot_profile: z.object({ name: text.optional() }).optional().catch(undefined),
  ts,
  thread_ts: ts.optional(),
  parent_user_id: id.optional().catch(undefined),
  text: text.optional(),
  team: id.optional().catch(undefined),
  files: z.array(file).max(100).optional().catch(undefined),
  edited: z.object({ ts, user: id.optional() }).optional().catch(undefined),
});

const place = { channel: id, channel_type: z.string().optional(), event_ts: z.string().optional() };

/** Of any type; what Bolt reads of it is checked, the rest stays as it came. */
const event = z.looseObject({
  type: z.string(),
  channel: z.string().optional(),
  user: z.string().optional(),
  item: z.looseObject({}).optional(),
  subteam: z.looseObject({}).optional(),
});
const spoken = message.extend(place);
const changed = z.object({ ...place, message, previous_message: message.optional().catch(undefined), ts });
const deleted = z.object({ ...place, deleted_ts: ts, previous_message: message.optional().catch(undefined), ts });
const reaction = z.object({
  user: id,
  reaction: z.string().max(200),
  item: z.object({ type: z.literal("message"), channel: id, ts }),
  event_ts: ts,
});
const outer = z.object({
  team_id: z.string().optional(),
  api_app_id: z.string().optional(),
  event,
  authorizations: z.array(z.object({ team_id: z.string().nullish() })).optional(),
});
const command = z.object({
  team_id: z.string().optional(),
  command: z.string().max(100),
  text: text.default(""),
  user_id: id,
  user_name: text.optional(),
  channel_id: id,
  trigger_id: key,
});
const press = z.object({
  type: z.literal("block_actions"),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ id, username: text.optional(), name: text.optional() }),
  channel: z.object({ id }),
  message: z.object({ ts, thread_ts: ts.optional() }),
  actions: z
    .array(
      z.object({
        type: z.string(),
        action_id: z.string().max(300),
        value: z.string().max(2_000).optional(),
        text: z.object({ text: text.optional() }).optional(),
        action_ts: ts,
      }),
    )
    .min(1)
    .max(10),
});
const self = z.object({ user_id: id, team_id: z.string(), bot_id: id.optional(), user: z.string().optional() });
const user = z.object({
  user: z.object({
    name: text.optional(),
    real_name: text.optional(),
    is_bot: z.boolean().optional(),
    profile: z.object({ display_name: text.optional(), real_name: text.optional() }).optional(),
  }),
});
const channel = z.object({
  channel: z.object({ id, name: text.optional(), is_im: z.boolean().optional(), is_mpim: z.boolean().optional() }),
});
const posted = z.object({ ts });
const history = z.object({ messages: z.array(z.unknown()), has_more: z.boolean().optional() });
const uploadPlace = z.object({ upload_url: z.string(), file_id: id });
const shareList = z.record(z.string(), z.array(z.object({ ts })));
const fileInfo = z.object({
  file: z.object({
    size: z.int().min(0).optional(),
    url_private: z.string().optional(),
    url_private_download: z.string().optional(),
    shares: z.object({ public: shareList.optional(), private: shareList.optional() }).optional(),
  }),
});

export type SlackMessage = z.output<typeof message>;
export type SpokenEvent = z.output<typeof spoken>;
export type ChangedEvent = z.output<typeof changed>;
export type DeletedEvent = z.output<typeof deleted>;
export type ReactionEvent = z.output<typeof reaction>;
export type SlackFile = z.output<typeof file>;
export type SlackCommand = z.output<typeof command>;
export type SlackPress = z.output<typeof press>;
export type SlackSelf = z.output<typeof self>;

/** What comes from outside, checked. Undefined when it is not what it should be. */
export const read = {
  outer: reader(outer),
  spoken: reader(spoken),
  changed: reader(changed),
  deleted: reader(deleted),
  reaction: reader(reaction),
  command: reader(command),
  press: reader(press),
  self: reader(self),
  user: reader(user),
  channel: reader(channel),
  posted: reader(posted),
  history: reader(history),
  uploadPlace: reader(uploadPlace),
  fileInfo: reader(fileInfo),
};

function reader<T extends z.ZodType>(schema: T): (value: unknown) => z.output<T> | undefined {
  return (value) => schema.safeParse(value).data;
}
