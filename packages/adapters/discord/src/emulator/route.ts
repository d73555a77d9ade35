import {
  archivedThread,
  missingAccess,
  missingPermissions,
  notATextChannel,
  unknownChannel,
  unknownMessage,
  unreachableUser,
} from "./api-error.ts";
import type { Interactions } from "./interactions.ts";
import type { RestRequest } from "./rest-request.ts";
import { type ChannelState, channelTypes, type StoredMessage } from "./state.ts";
import type { Seer } from "./wire.ts";
import type { World } from "./world.ts";

export interface RouteCall extends RestRequest {
  readonly world: World;
  /** What the bot may read. */
  readonly seer: Seer;
  readonly interactions: Interactions;
  readonly gatewayInfo: () => object;
  readonly commands: unknown[];
}

/** Carries out one call and returns its JSON; undefined is an empty 204. Throws ApiError. */
export type Route = (call: RouteCall) => unknown;

/** The channel of the path, as far as the bot may see it. */
export function targetChannel({ world, parameters }: RouteCall): ChannelState {
  const channel = world.channels.get(parameters.channel ?? "");
  if (channel === undefined || channel.deleted) throw unknownChannel();
  if (channel.access === "hidden") throw missingAccess();
  return channel;
}

/** The channel of the path, for posting into. An archived thread opens again, as in Discord. */
export function writableChannel(call: RouteCall): ChannelState {
  const channel = targetChannel(call);
  if (channel.access === "blocked") throw unreachableUser();
  if (channel.access === "read-only") throw missingPermissions();
  if (channel.type === channelTypes.forum) throw notATextChannel();
  channel.archived = false;
  return channel;
}

export function targetMessage(channel: ChannelState, { parameters }: RouteCall): StoredMessage {
  const message = channel.messages.get(parameters.message ?? "");
  if (message === undefined || message.deleted) throw unknownMessage();
  return message;
}

export function requireOpenThread(channel: ChannelState): void {
  if (channel.archived) throw archivedThread();
}
