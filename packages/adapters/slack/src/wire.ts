import { list, odd } from "@talaria/adapter-kit";
import { z } from "zod";
import { blocks, context, id, message, text, ts } from "./wire-content.ts";

/** What becomes part of an id of ours. */
const key = z.string().regex(/^[\w.:-]{1,200}$/);

const place = { channel: id, channel_type: odd(z.string()), event_ts: odd(z.string()) };

/** Of any type; what Bolt reads of it is checked, the rest stays as it came. */
const event = z
  .looseObject({
    type: z.string(),
    channel: odd(z.string()),
    user: odd(z.string()),
    item: odd(z.looseObject({})),
    subteam: odd(z.looseObject({})),
  })
  .transform(withoutAbsent);
const spoken = message.extend(place);
const changed = z.object({ ...place, message, previous_message: odd(message), ts });
const deleted = z.object({ ...place, deleted_ts: ts, previous_message: odd(message), ts });
const reaction = z.object({
  user: id,
  reaction: z.string().max(200),
  item: z.object({ type: z.literal("message"), channel: id, ts }),
  event_ts: ts,
});
const opened = z.object({ assistant_thread: z.object({ channel_id: id, thread_ts: ts, user_id: odd(id) }) });
/** docs.slack.dev/reference/events/app_home_opened */
const home = z.object({ user: id, channel: id, tab: odd(z.string()) });
/** docs.slack.dev/reference/events/app_context_changed */
const viewed = z.object({ user: id, context });
/** docs.slack.dev/reference/events/assistant_thread_context_changed */
const assistantViewed = z.object({
  assistant_thread: z.object({ user_id: id, context: z.object({ channel_id: odd(id), team_id: odd(id) }) }),
});
/** docs.slack.dev/reference/events/agent_session_stopped */
const stopped = z.object({
  channel: id,
  user: id,
  thread_ts: ts,
  streaming_message_ts: list(ts, 100),
  event_ts: ts,
});
/** docs.slack.dev/reference/events/agent_session_title_changed */
const titled = z.object({ channel: id, user: id, thread_ts: ts, title: text, event_ts: ts });
const outer = z.object({
  team_id: odd(z.string()),
  api_app_id: odd(z.string()),
  event,
  authorizations: list(z.object({ team_id: odd(z.string()) }), 100),
});
const command = z.object({
  team_id: odd(z.string()),
  command: z.string().max(100),
  text: odd(text),
  user_id: id,
  user_name: odd(text),
  channel_id: id,
  trigger_id: key,
});
const press = z.object({
  type: z.literal("block_actions"),
  team: odd(z.object({ id: z.string() })),
  user: z.object({ id, username: odd(text), name: odd(text) }),
  channel: z.object({ id }),
  message: z.object({ ts, thread_ts: odd(ts), parent_user_id: odd(id), text: odd(text), blocks }),
  actions: z
    .array(
      z.object({
        type: z.string(),
        action_id: z.string().max(300),
        value: odd(z.string().max(2_000)),
        text: odd(z.object({ text: odd(text) })),
        selected_option: odd(z.object({ value: z.string().max(2_000), text: odd(z.object({ text: odd(text) })) })),
        action_ts: ts,
      }),
    )
    .min(1)
    .max(10),
});
const self = z.object({ user_id: id, team_id: z.string(), bot_id: odd(id), user: odd(z.string()) });
const user = z.object({
  user: z.object({
    name: odd(text),
    real_name: odd(text),
    is_bot: odd(z.boolean()),
    locale: odd(z.string()),
    profile: odd(z.object({ display_name: odd(text), real_name: odd(text) })),
  }),
});
const channel = z.object({
  channel: z.object({ id, name: odd(text) }),
});
const posted = z.object({ ts });
const whispered = z.object({ message_ts: ts });
const history = z.object({ messages: z.array(z.unknown()), has_more: odd(z.boolean()) });
const uploadPlace = z.object({ upload_url: z.string(), file_id: id });
const shareList = z.record(z.string(), z.array(z.object({ ts })));
const fileInfo = z.object({
  file: z.object({
    name: odd(text),
    title: odd(text),
    size: odd(z.int().min(0)),
    url_private: odd(z.string()),
    url_private_download: odd(z.string()),
    shares: odd(z.object({ public: odd(shareList), private: odd(shareList) })),
  }),
});

export type SpokenEvent = z.output<typeof spoken>;
export type ChangedEvent = z.output<typeof changed>;
export type DeletedEvent = z.output<typeof deleted>;
export type ReactionEvent = z.output<typeof reaction>;
export type OpenedThread = z.output<typeof opened>["assistant_thread"];
export type StoppedEvent = z.output<typeof stopped>;
export type TitledEvent = z.output<typeof titled>;
export type SlackCommand = z.output<typeof command>;
export type SlackPress = z.output<typeof press>;
export type SlackSelf = z.output<typeof self>;

/** The events, commands and presses that we know. */
const eventSchemas = {
  outer,
  spoken,
  changed,
  deleted,
  reaction,
  opened,
  home,
  viewed,
  assistantViewed,
  stopped,
  titled,
  command,
  press,
};

/** What comes from outside, checked. Undefined when it is not what it should be. */
export const read = {
  outer: reader(outer),
  spoken: reader(spoken),
  changed: reader(changed),
  deleted: reader(deleted),
  reaction: reader(reaction),
  opened: reader(opened),
  home: reader(home),
  viewed: reader(viewed),
  assistantViewed: reader(assistantViewed),
  stopped: reader(stopped),
  titled: reader(titled),
  command: reader(command),
  press: reader(press),
  self: reader(self),
  user: reader(user),
  channel: reader(channel),
  posted: reader(posted),
  whispered: reader(whispered),
  history: reader(history),
  uploadPlace: reader(uploadPlace),
  fileInfo: reader(fileInfo),
};

/** Which fields keep an event from being read, at most five, by their names in Slack's documentation. */
export function faultsIn(kind: keyof typeof eventSchemas, value: unknown): readonly string[] {
  const issues = eventSchemas[kind].safeParse(value).error?.issues ?? [];
  return issues.slice(0, 5).map(({ path }) => path.join("."));
}

/** Bolt asks whether a field is there, and takes one that is undefined for one that is. */
function withoutAbsent<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function reader<T extends z.ZodType>(schema: T): (value: unknown) => z.output<T> | undefined {
  return (value) => schema.safeParse(value).data;
}
