import { type Chosen, cleanName, cleanText } from "@talaria/adapter-kit";
import {
  type AcceptOptions,
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type EventId,
  type InboundEvent,
  type InboundMessage,
  instantOf,
  type MessageId,
  type Sender,
  type ThreadId,
} from "@talaria/protocol";
import { reactionEmoji } from "./emoji.ts";
import { type Known, toMessage, toSender } from "./inbound-message.ts";
import { wordsOf } from "./message-words.ts";
import { mentionsIn } from "./mrkdwn.ts";
import type {
  DeletedEvent,
  ReactionEvent,
  SlackCommand,
  SlackPress,
  SlackSelf,
  StoppedEvent,
  TitledEvent,
} from "./wire.ts";
import type { SlackMessage } from "./wire-content.ts";

/** What an event is seen with. */
export interface Viewpoint {
  readonly accountId: AccountId;
  readonly self: SlackSelf;
  readonly known: Known;
  /** The channel's name; direct conversations have none. */
  readonly title: string | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly answerInThread: boolean;
  /** Answers to direct messages go into threads, and all of them belong to one conversation. */
  readonly agentView: boolean;
}

/** The same for every delivery of one message, also when it arrives as `message` and as `app_mention` with two event ids. */
export function messageKey({ team_id }: SlackSelf, channel: string, ts: string): string {
  return `m:${team_id}/${channel}/${ts}`;
}

/** Converts a new message. Undefined for our own and for notices of Slack. Pure. */
export function toCreated(message: SlackMessage, channel: string, view: Viewpoint): InboundEvent | undefined {
  const content = toMessage(message, view.self, view.known);
  if (content === undefined) return undefined;
  const conversation = conversationOf(
    channel,
    threadOf(message, channel, view, content.mentionsSelf),
    view,
    message.parent_user_id,
  );
  const sender = toSender(message, view.self, view.known);
  if (sender.userId === "" || sender.role === "self") return undefined;
  const id = messageKey(view.self, channel, message.ts);
  return { ...base(id, conversation, sender, view, message.ts), type: "message.created", message: content };
}

/**
 * Converts a changed message. Undefined for our own, and unless a person changed words or files at `editedTs`: Slack also reports previews
 * and new answers below. A message that was emptied because it has answers counts as deleted.
 */
export function toEdited(
  message: SlackMessage,
  channel: string,
  view: Viewpoint,
  editedTs: string | undefined = message.edited?.ts,
): InboundEvent | undefined {
  if (message.subtype === "tombstone") return undefined;
  const content = toMessage(message, view.self, view.known);
  const sender = toSender(message, view.self, view.known);
  if (content === undefined || editedTs === undefined || sender.role === "self" || sender.userId === "")
    return undefined;
  const conversation = conversationOf(
    channel,
    threadOf(message, channel, view, content.mentionsSelf),
    view,
    message.parent_user_id,
  );
  const id = `e:${view.self.team_id}/${channel}/${message.ts}/${editedTs}`;
  return { ...base(id, conversation, sender, view, editedTs), type: "message.edited", message: content };
}

/** Converts a deletion. The sender is who wrote the message: Slack does not say who deleted it. Undefined for our own. */
export function toDeleted(event: DeletedEvent, view: Viewpoint): InboundEvent | undefined {
  const { channel, deleted_ts: ts, previous_message: before } = event;
  const sender = toSender(before ?? {}, view.self, view.known);
  if (before === undefined || sender.role === "self" || sender.userId === "") return undefined;
  const isAddressed = mentionsIn(wordsOf(before)).includes(view.self.user_id);
  const conversation = conversationOf(
    channel,
    threadOf(before, channel, view, isAddressed),
    view,
    before.parent_user_id,
  );
  const id = `d:${view.self.team_id}/${channel}/${ts}`;
  const facts = base(id, conversation, sender, view, event.ts);
  return { ...facts, type: "message.deleted", messageId: brandAs<MessageId>(ts) };
}

/** Converts a reaction. Undefined for our own. Slack does not tell the thread. */
export function toReaction(
  event: ReactionEvent,
  type: "reaction.added" | "reaction.removed",
  view: Viewpoint,
): InboundEvent | undefined {
  const { channel, ts } = event.item;
  const sender = toSender({ user: event.user }, view.self, view.known);
  if (sender.role === "self") return undefined;
  const id = `r:${view.self.team_id}/${channel}/${ts}/${event.user}/${event.event_ts}/${type}`;
  const facts = base(id, conversationOf(channel, undefined, view), sender, view, event.event_ts);
  return { ...facts, type, messageId: brandAs<MessageId>(ts), emoji: reactionEmoji(event.reaction) };
}

/** What a press of a button of ours chooses, or a selection in a menu. Undefined for other parts of messages. */
export function pressedChoice({ actions }: SlackPress): Chosen | undefined {
  const [pressed] = actions;
  const chosen = pressed?.type === "static_select" ? pressed.selected_option : pressed;
  if (pressed === undefined || chosen === undefined) return undefined;
  if (pressed.type !== "button" && pressed.type !== "static_select") return undefined;
  const id = cleanText(chosen.value ?? pressed.action_id.replace(/^choice:/, ""));
  return { id, label: cleanName(chosen.text?.text ?? "") || id };
}

/** Converts the press of a button of ours. */
export function toAction(press: SlackPress, view: Viewpoint): InboundEvent | undefined {
  const { user, channel, message, actions } = press;
  const chosen = pressedChoice(press);
  const [pressed] = actions;
  if (chosen === undefined || pressed === undefined) return undefined;
  const sender = toSender({ user: user.id }, view.self, view.known);
  const thread = message.thread_ts === message.ts ? undefined : message.thread_ts;
  const id = `a:${view.self.team_id}/${channel.id}/${message.ts}/${user.id}/${pressed.action_ts}`;
  return {
    ...base(id, conversationOf(channel.id, thread, view, message.parent_user_id), sender, view, pressed.action_ts),
    type: "action.invoked",
    messageId: brandAs<MessageId>(message.ts),
    actionId: chosen.id,
    label: chosen.label,
  };
}

/** Converts the press of Slack's own stop button, which means the answer of that thread. `beganBy` wrote its first message. */
export function toStopped(event: StoppedEvent, beganBy: string | undefined, view: Viewpoint): InboundEvent {
  const { channel, user, thread_ts: thread, streaming_message_ts: streams, event_ts: ts } = event;
  const id = `s:${view.self.team_id}/${channel}/${thread}/${user}/${ts}`;
  const sender = toSender({ user }, view.self, view.known);
  return {
    ...base(id, conversationOf(channel, thread, view, beganBy), sender, view, ts),
    type: "action.invoked",
    messageId: brandAs<MessageId>(streams[0] ?? thread),
    actionId: "stop",
  };
}

/** Slack's own may be longer than what names a conversation here. */
const longestTitle = 80;

/** Converts a new title that a person gave a session in Slack: what `/title` means here, in the conversation of that thread. */
export function toTitled(event: TitledEvent, beganBy: string | undefined, view: Viewpoint): InboundEvent | undefined {
  const { channel, user, thread_ts: thread, title, event_ts: ts } = event;
  const words = [...cleanText(title).replaceAll(/\s+/g, " ").trim()].slice(0, longestTitle).join("").trim();
  if (words === "" || user === view.self.user_id) return undefined;
  const sender = toSender({ user }, view.self, view.known);
  const id = `t:${view.self.team_id}/${channel}/${thread}/${user}/${ts}`;
  return {
    ...base(id, conversationOf(channel, thread, view, beganBy), sender, view, ts),
    type: "message.created",
    message: toldBySlack(`title-${ts}`, `/title ${words}`),
  };
}

/** What stands in no message that people see. */
function toldBySlack(messageId: string, markdown: string): InboundMessage {
  return {
    messageId: brandAs<MessageId>(messageId),
    markdown,
    attachments: [],
    mentions: [],
    mentionsSelf: true,
    repliesToSelf: false,
    unseen: true,
  };
}

/** Where the answer to something goes that was said in a thread, or would begin one. */
export function answerPlace(
  { conversation }: InboundEvent,
  thread: string | undefined,
  { agentView }: Viewpoint,
): AcceptOptions {
  if (!agentView || thread === undefined || conversation.kind !== "direct" || conversation.threadId !== undefined)
    return {};
  return { replyTo: { ...conversation, threadId: brandAs<ThreadId>(thread) } };
}

/**
 * Converts a slash command into a message to us: `/talaria stop now` into `/stop now` where `stop` is a command of ours,
 * else into what follows the name; `/stop now` stays. Slack gives it no id as a message and no thread, and shows
 * it to nobody (docs.slack.dev/interactivity/implementing-slash-commands).
 */
export function toCommand(
  given: SlackCommand,
  names: ReadonlySet<string>,
  own: string,
  view: Viewpoint,
): InboundEvent | undefined {
  const text = (given.text ?? "").trim();
  const [first = ""] = text.split(/\s/, 1);
  const isOurs = given.command === own;
  if (!isOurs && !names.has(given.command.slice(1))) return undefined;
  const whole = isOurs
    ? text === ""
      ? "/help"
      : names.has(first.toLowerCase())
        ? `/${text}`
        : text
    : `${given.command} ${text}`;
  const sender = toSender({ user: given.user_id }, view.self, view.known);
  const id = `c:${view.self.team_id}/${given.channel_id}/${given.trigger_id}`;
  return {
    ...base(id, conversationOf(given.channel_id, undefined, view), sender, view, ""),
    type: "message.created",
    message: toldBySlack(`command-${given.trigger_id}`, cleanText(whole.trim())),
  };
}

/** Ids of direct conversations begin with D. */
export function isDirect(channel: string): boolean {
  return channel.startsWith("D");
}

function threadOf(
  { ts, thread_ts }: SlackMessage,
  channel: string,
  { answerInThread }: Viewpoint,
  isAddressed: boolean,
): string | undefined {
  if (thread_ts !== undefined && thread_ts !== ts) return thread_ts;
  return answerInThread && isAddressed && !isDirect(channel) ? ts : undefined;
}

/** In direct messages an `agent_view` makes a thread of every answer. Those that a person began are one conversation; ours are their own. */
function conversationOf(
  channel: string,
  given: string | undefined,
  { accountId, title, agentView, self }: Viewpoint,
  beganBy?: string,
): Conversation {
  const thread = agentView && isDirect(channel) && beganBy !== self.user_id ? undefined : given;
  return {
    accountId,
    platform: "slack",
    conversationId: brandAs<ConversationId>(channel),
    kind: isDirect(channel) ? "direct" : "group",
    ...(thread === undefined ? {} : { threadId: brandAs<ThreadId>(thread) }),
    ...(title === undefined ? {} : { title }),
  };
}

function base(id: string, conversation: Conversation, sender: Sender, { receivedAt }: Viewpoint, ts: string) {
  const milliseconds = Math.floor(Number(ts) * 1_000);
  const isInRange = milliseconds > 0 && milliseconds < 253_402_300_800_000;
  const occurredAt = instantOf(isInRange ? milliseconds : receivedAt);
  return { id: brandAs<EventId>(id), conversation, sender, occurredAt, receivedAt: instantOf(receivedAt) };
}
