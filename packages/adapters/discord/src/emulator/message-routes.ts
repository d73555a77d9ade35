import { invalidField, missingPermissions, notOwnMessage, unknownEmoji } from "./api-error.ts";
import { readComponents } from "./components.ts";
import {
  type AllowedMentions,
  readContent,
  readFiles,
  readFlags,
  readMentions,
  readNonce,
  requireSomething,
} from "./message-content.ts";
import {
  type Route,
  type RouteCall,
  requireOpenThread,
  targetChannel,
  targetMessage,
  writableChannel,
} from "./route.ts";
import type { ChannelState, StoredMessage } from "./state.ts";
import { toWireMessage } from "./wire.ts";

export const createMessage: Route = (call) => {
  const { world, seer, body } = call;
  const channel = writableChannel(call);
  const content = readContent(body);
  const allowed = readMentions(body);
  const nonce = readNonce(body);
  const flags = readFlags(body);
  const files = readFiles(call, () => world.nextId());
  const components = readComponents(body) ?? [];
  requireSomething(content, files, components);
  const replyTo = readReference(channel, call);
  const first = body.enforce_nonce === true && nonce !== undefined ? world.sentWith(nonce) : undefined;
  const message =
    first ??
    world.post(channel, world.bot, {
      content,
      files,
      components,
      nonce,
      replyTo,
      ...toldOf(allowed, channel, replyTo),
      ...(flags !== undefined && { flags }),
    });
  return { ...toWireMessage(message, seer), ...(nonce !== undefined && { nonce }) };
};

/** The answered message. When it is gone, `fail_if_not_exists: false` makes an ordinary message. */
function readReference(channel: ChannelState, { body }: RouteCall): string | undefined {
  const reference = body.message_reference as { message_id?: unknown; fail_if_not_exists?: unknown } | undefined;
  if (reference === undefined || reference === null) return undefined;
  const id = String(reference.message_id);
  if (!/^\d{1,20}$/.test(id))
    throw invalidField("message_reference.message_id", "NUMBER_TYPE_COERCE", `Value "${id}" is not snowflake.`);
  const message = channel.messages.get(id);
  if (message !== undefined && !message.deleted) return id;
  if (reference.fail_if_not_exists === false) return undefined;
  throw invalidField("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
}

export const editMessage: Route = (call) => {
  const { world, seer, body } = call;
  const channel = targetChannel(call);
  const message = targetMessage(channel, call);
  if (message.author.id !== world.bot.id) throw notOwnMessage();
  requireOpenThread(channel);
  const content = body.content === undefined ? message.content : readContent(body);
  const allowed = readMentions(body);
  const components = readComponents(body) ?? message.components;
  requireSomething(content, message.files, components);
  const told = toldOf(allowed, channel, message.replyTo);
  world.edit(message, content, { components, flags: readFlags(body) ?? message.flags, ...told });
  return toWireMessage(message, seer);
};

/** Whom a message of the bot notifies: people in its text, and the author of the message it answers. */
function toldOf({ users, repliedUser }: AllowedMentions, channel: ChannelState, replyTo: string | undefined) {
  const answered = replyTo === undefined ? undefined : channel.messages.get(replyTo);
  return { isQuiet: !users, alsoMentions: repliedUser && answered !== undefined ? [answered.author] : [] };
}

export const deleteMessage: Route = (call) => {
  const channel = targetChannel(call);
  const message = targetMessage(channel, call);
  if (message.author.id !== call.world.bot.id && channel.guild === undefined) throw missingPermissions();
  call.world.delete(message);
  return undefined;
};

export const getMessage: Route = (call) => toWireMessage(targetMessage(targetChannel(call), call), call.seer);

/** Newest first. `after` begins with the oldest that is newer; `before` and `limit` as usual. */
export const getMessages: Route = (call) => {
  const { query, seer } = call;
  const channel = targetChannel(call);
  const limit = query.has("limit") ? Number(query.get("limit")) : 50;
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalidField("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.");
  const all = [...channel.messages.values()].filter(({ deleted }) => !deleted);
  return select(all, readSnowflake(query, "after"), readSnowflake(query, "before"), limit)
    .map((message) => toWireMessage(message, seer))
    .reverse();
};

function select(all: readonly StoredMessage[], after: bigint | undefined, before: bigint | undefined, limit: number) {
  if (after !== undefined) return all.filter(({ id }) => BigInt(id) > after).slice(0, limit);
  return (before === undefined ? all : all.filter(({ id }) => BigInt(id) < before)).slice(-limit);
}

function readSnowflake(query: URLSearchParams, name: string): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,20}$/.test(text)) throw invalidField(name, "NUMBER_TYPE_COERCE", `Value "${text}" is not snowflake.`);
  return BigInt(text);
}

export const addReaction: Route = (call) => {
  const message = targetMessage(targetChannel(call), call);
  call.world.react(message, call.world.bot, readEmoji(call));
  return undefined;
};

export const removeReaction: Route = (call) => {
  const message = targetMessage(targetChannel(call), call);
  call.world.unreact(message, call.world.bot, readEmoji(call));
  return undefined;
};

function readEmoji({ parameters }: RouteCall): string {
  const emoji = parameters.emoji ?? "";
  if (/^\w{2,32}:\d{15,20}$/.test(emoji) || /^(\p{RGI_Emoji}|\p{Extended_Pictographic})$/v.test(emoji)) return emoji;
  throw unknownEmoji();
}
