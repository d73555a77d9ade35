import { cleanName, cleanText } from "@talaria/adapter-kit";
import {
  brandAs,
  type Conversation,
  type EventId,
  type InboundEvent,
  type InboundMessage,
  type Instant,
  instantOf,
  type MessageId,
  type Sender,
  type UserId,
} from "@talaria/protocol";
import { chosenId, labelOf } from "./choices.ts";
import { type Reading, toMessage, toSender } from "./inbound-message.ts";
import type { DiscordInteraction, DiscordMessage, DiscordReaction } from "./wire.ts";

/** What an event is seen with. */
export interface Viewpoint extends Reading {
  readonly conversation: Conversation;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Converts a message, new or edited. Undefined for our own, for notices and for what Discord hides. Pure. */
export function toMessageEvent(
  message: DiscordMessage,
  type: "message.created" | "message.edited",
  view: Viewpoint,
): InboundEvent | undefined {
  const sender = toSender(message.author, view.selfId, {
    nick: message.member?.nick,
    isWebhook: message.webhook_id !== undefined,
  });
  const edited = message.edited_timestamp;
  // Discord also reports previews and pins as changes; only a person's edit has a time.
  if (sender.role === "self" || (type === "message.edited" && edited === undefined)) return undefined;
  const content = toMessage(message, view);
  if (content === undefined) return undefined;
  const id = type === "message.created" ? `m${message.id}` : `e${message.id}-${edited}`;
  const occurred = type === "message.created" ? message.timestamp : edited;
  return { ...base(view, id, sender, toInstant(occurred, view.receivedAt)), type, message: content };
}

/** Converts a deletion. Discord does not tell whose it was. */
export function toDeletionEvent(messageId: string, view: Viewpoint): InboundEvent {
  const sender: Sender = {
    userId: brandAs<UserId>("hidden"),
    role: "unknown",
    displayName: "somebody",
    assurance: "claimed",
  };
  return { ...base(view, `d${messageId}`, sender), type: "message.deleted", messageId: brandAs<MessageId>(messageId) };
}

/** Converts a reaction. `eventKey` is the same when the event comes again. Undefined for our own. */
export function toReactionEvent(
  reaction: DiscordReaction,
  type: "reaction.added" | "reaction.removed",
  eventKey: string,
  view: Viewpoint,
): InboundEvent | undefined {
  const user = reaction.member?.user ?? { id: reaction.user_id };
  const sender = toSender({ ...user, id: reaction.user_id }, view.selfId, { nick: reaction.member?.nick });
  if (sender.role === "self") return undefined;
  const { id } = reaction.emoji;
  const name = cleanText((reaction.emoji.name ?? "").slice(0, 100));
  const emoji = id === undefined ? name : `${name}:${id}`;
  return { ...base(view, `r${eventKey}`, sender), type, messageId: brandAs<MessageId>(reaction.message_id), emoji };
}

/** Converts the press of a button. Undefined for every other interaction. */
export function toActionEvent(interaction: DiscordInteraction, view: Viewpoint): InboundEvent | undefined {
  const user = interaction.member?.user ?? interaction.user;
  const actionId = chosenId(interaction);
  if (user === undefined || actionId === undefined || interaction.message === undefined) return undefined;
  const sender = toSender(user, view.selfId, { nick: interaction.member?.nick, locale: interaction.locale });
  const messageId = brandAs<MessageId>(interaction.message.id);
  const label = cleanName(labelOf(interaction.message.components, actionId) ?? "");
  return {
    ...base(view, `i${interaction.id}`, sender),
    type: "action.invoked",
    messageId,
    actionId: cleanText(actionId),
    ...(label === "" ? {} : { label }),
  };
}

/** Converts a slash command to the message `/name text`. Its message id is the interaction's, which answers reply to. */
export function toCommandEvent(interaction: DiscordInteraction, view: Viewpoint): InboundEvent | undefined {
  const user = interaction.member?.user ?? interaction.user;
  const name = interaction.data?.name;
  if (user === undefined || name === undefined || !/^[\p{Ll}\p{N}_-]{1,32}$/u.test(name)) return undefined;
  const sender = toSender(user, view.selfId, { nick: interaction.member?.nick, locale: interaction.locale });
  const words = (interaction.data?.options ?? []).map(({ value }) => String(value));
  const message: InboundMessage = {
    messageId: brandAs<MessageId>(interaction.id),
    markdown: cleanText([`/${name}`, ...words].join(" ").trim()),
    attachments: [],
    mentions: [],
    mentionsSelf: true,
    repliesToSelf: false,
  };
  return { ...base(view, `i${interaction.id}`, sender), type: "message.created", message };
}

function base({ conversation, receivedAt }: Viewpoint, id: string, sender: Sender, occurredAt = instantOf(receivedAt)) {
  return { id: brandAs<EventId>(id), conversation, sender, occurredAt, receivedAt: instantOf(receivedAt) };
}

function toInstant(text: string | undefined, otherwise: number): Instant {
  const milliseconds = Date.parse(text ?? "");
  const isInRange = milliseconds > 0 && milliseconds < 253_402_300_800_000;
  return instantOf(isInRange ? milliseconds : otherwise);
}
