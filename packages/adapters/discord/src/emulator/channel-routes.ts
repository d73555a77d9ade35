import { invalidField, unknownGuild, unknownUser } from "./api-error.ts";
import { readContent, requireSomething } from "./message-content.ts";
import { type Route, type RouteCall, targetChannel, targetMessage, writableChannel } from "./route.ts";
import { type ChannelState, channelTypes } from "./state.ts";
import { guildRoles, toWireChannel, toWireMessage } from "./wire.ts";

export const getGatewayBot: Route = ({ gatewayInfo }) => gatewayInfo();

export const getCurrentUser: Route = ({ world }) => ({ ...world.bot, verified: true, mfa_enabled: false, flags: 0 });

export const getChannel: Route = (call) => toWireChannel(targetChannel(call));

export const getGuildRoles: Route = ({ world, parameters }) => {
  const guild = world.guilds.get(parameters.guild ?? "");
  if (guild === undefined) throw unknownGuild();
  return guildRoles(guild);
};

export const createDirectChannel: Route = ({ world, body }) => {
  const person = world.users.get(String(body.recipient_id));
  if (person === undefined) throw unknownUser();
  return toWireChannel(world.directChannel(person));
};

export const triggerTyping: Route = (call) => {
  writableChannel(call).typings.push(call.world.now());
  return undefined;
};

/** A thread below a message; it has the message's id. */
export const startThreadFromMessage: Route = (call) => {
  const channel = writableChannel(call);
  const message = targetMessage(channel, call);
  if (call.world.channels.has(message.id))
    throw invalidField("message_id", "THREAD_ALREADY_CREATED", "A thread has already been created for this message.");
  return toWireChannel(newThread(call, channel, message.id));
};

/** A thread of its own, or in a forum a post with its first message. */
export const startThread: Route = (call) => {
  const { world, body, seer } = call;
  const channel = targetChannel(call);
  if (channel.type !== channelTypes.forum) return toWireChannel(newThread(call, writableChannel(call)));
  const first = (body.message ?? {}) as Record<string, unknown>;
  const content = readContent(first);
  requireSomething(content, [], []);
  const thread = newThread(call, channel);
  const message = world.post(thread, world.bot, { content });
  return { ...toWireChannel(thread), message: toWireMessage(message, seer) };
};

function newThread({ world, body }: RouteCall, parent: ChannelState, id?: string): ChannelState {
  const name = body.name;
  if (typeof name !== "string" || name.length < 1 || name.length > 100)
    throw invalidField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  return world.newChannel({ type: channelTypes.publicThread, name, parent, guild: parent.guild, ...(id && { id }) });
}
