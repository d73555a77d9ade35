import { list, odd } from "@talaria/adapter-kit";
import { z } from "zod";

/** What messages hold, in events and in history alike. A null or unreadable part counts as absent. */

export const id = z.string().regex(/^[A-Z0-9]{2,40}$/);
/** Seconds since 1970 with six places: a message's id in its channel. */
export const ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

/** In UTF-16 units; Slack's own texts end at 40,000. */
const longestText = 200_000;
export const text = z.string().transform((value) => value.slice(0, longestText));

/** Of one message. Slack takes 50 blocks and 100 attachments. */
const most = { files: 100, blocks: 100, attachments: 100, fields: 50 };

const file = z.object({
  id,
  name: odd(text),
  title: odd(text),
  mimetype: odd(z.string().max(200)),
  size: odd(z.int().min(0)),
  subtype: odd(z.string().max(100)),
  mode: odd(z.string().max(100)),
  /** `check_file_info`: of another workspace; `files.info` tells the rest (docs.slack.dev/reference/objects/file-object). */
  file_access: odd(z.string().max(100)),
});

/** Of any type; what it says is read in `block-text.ts`. */
const block = z.looseObject({ type: z.string() });
export const blocks = list(block, most.blocks);

/**
 * What apps add below a text, what Slack shows of links (`from_url`, `original_url`), and messages that a person
 * forwards (`is_share`, `is_msg_unfurl`).
 */
const attachment = z.object({
  is_share: odd(z.boolean()),
  is_msg_unfurl: odd(z.boolean()),
  from_url: odd(text),
  original_url: odd(text),
  app_unfurl_url: odd(text),
  author_id: odd(id),
  author_name: odd(text),
  pretext: odd(text),
  title: odd(text),
  title_link: odd(text),
  text: odd(text),
  fallback: odd(text),
  fields: list(z.object({ title: odd(text), value: odd(text) }), most.fields),
  files: list(file, most.files),
  blocks,
  message_blocks: list(z.object({ message: z.object({ blocks }) }), most.fields),
});

/** What a person has on the screen, most relevant first (docs.slack.dev/reference/events/app_context_changed, AppContextChangedEvent of @slack/types). */
const entity = z.object({
  type: z.string(),
  value: z.union([z.string(), z.object({ channel_id: id })]),
  team_id: odd(id),
});
export const context = z.object({ entities: list(entity, 50) });

export const message = z.object({
  subtype: odd(z.string()),
  user: odd(id),
  bot_id: odd(id),
  username: odd(text),
  bot_profile: odd(z.object({ name: odd(text) })),
  ts,
  thread_ts: odd(ts),
  parent_user_id: odd(id),
  text: odd(text),
  team: odd(id),
  files: list(file, most.files),
  blocks,
  attachments: list(attachment, most.attachments),
  edited: odd(z.object({ ts, user: odd(id) })),
  /** With messages to an app that has an `agent_view`. */
  app_context: odd(context),
});

export type SlackMessage = z.output<typeof message>;
export type SlackFile = z.output<typeof file>;
export type SlackContext = z.output<typeof context>;
export type SlackBlock = z.output<typeof block>;
export type SlackAttachment = z.output<typeof attachment>;
