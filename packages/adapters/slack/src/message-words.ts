import { blockText, escaped } from "./block-text.ts";
import type { SlackAttachment, SlackMessage } from "./wire-content.ts";

/** Longest text that is read out of attachments, and longest forwarded text, in UTF-16 units. */
const longestAttached = 20_000;
const longestForwarded = 8_000;
/** Further messages of one that forwards several are left out. */
const mostForwarded = 5;

/**
 * What a message says, in Slack's own dialect (mrkdwn). Of what a person writes that is the text. What an app posts it shows in
 * blocks and attachments, often without a text, or with one that is only for notifications; what Slack shows of links is
 * not theirs and left out.
 */
export function wordsOf({ text = "", bot_id, subtype, blocks, attachments }: Said): string {
  if (bot_id === undefined && subtype !== "bot_message") return text;
  const shown = blockText(blocks);
  const said = shown.length > text.length ? shown : text;
  const added = attachments.filter(isOwn).map(attachmentText).join("\n").slice(0, longestAttached);
  return [said, added].filter((part) => part !== "").join("\n");
}

/** What is needed of a message to know what it says. */
export type Said = Pick<SlackMessage, "text" | "bot_id" | "subtype" | "blocks" | "attachments">;

/** One message that somebody forwards. */
export interface Forwarded {
  readonly attachment: SlackAttachment;
  /** In mrkdwn; empty when it had only files. */
  readonly words: string;
}

/** The messages that a message forwards. */
export function forwardedIn({ attachments }: Pick<SlackMessage, "attachments">): readonly Forwarded[] {
  const shared = attachments.filter(isForward).slice(0, mostForwarded);
  const room = Math.floor(longestForwarded / Math.max(1, shared.length));
  return shared.map((attachment) => ({ attachment, words: forwardedText(attachment).slice(0, room) }));
}

function isForward({ is_share, is_msg_unfurl }: SlackAttachment): boolean {
  return is_share === true || is_msg_unfurl === true;
}

/** Neither a forwarded message nor what Slack shows of a link. */
function isOwn(attachment: SlackAttachment): boolean {
  const { from_url, original_url, app_unfurl_url } = attachment;
  return !isForward(attachment) && (from_url ?? original_url ?? app_unfurl_url) === undefined;
}

function forwardedText({ text = "", blocks, message_blocks, fallback = "" }: SlackAttachment): string {
  const inner = () => blockText(message_blocks.flatMap(({ message }) => message.blocks));
  return text || inner() || blockText(blocks) || fallback;
}

/** Field by field as people see it; the fallback only where there is nothing else. */
function attachmentText({ pretext, title, title_link, text, fields, fallback, blocks }: SlackAttachment): string {
  const link = title_link?.replace(/[<>|\s]/g, encodeURIComponent);
  const heading = title !== undefined && link !== undefined ? `<${link}|${title.replaceAll("|", "¦")}>` : title;
  const facts = fields.map(({ title: name, value }) => [name, value].filter(Boolean).join(": "));
  const lines = [pretext, heading, text, ...facts, blockText(blocks)].filter(Boolean);
  return lines.length > 0 ? lines.join("\n") : escaped(fallback ?? "");
}
