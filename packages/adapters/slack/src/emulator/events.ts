import type { Deliveries } from "./deliveries.ts";
import { toWireMessage } from "./wire.ts";
import { newId, type SlackChannel, type StoredMessage, type World, type WorldEvent } from "./world.ts";

/** Tells the app what happened in the channels it is in, as its subscriptions say. */
export function tell(event: WorldEvent, world: World, deliveries: Deliveries): void {
  const channel = world.channels.get(event.message.channel);
  if (channel === undefined || !channel.members.has(world.bot.id)) return;
  const add = (body: object, key?: string) => deliveries.add("events_api", eventBody(world, body), key);
  const { message } = event;
  switch (event.type) {
    case "created": {
      const key = message.user === world.bot ? undefined : `${message.channel}/${message.ts}`;
      add({ ...messageEvent(message, channel, world) }, key);
      if (message.user !== world.bot && message.text.includes(`<@${world.bot.id}>`) && channel.kind !== "im") {
        const { channel_type: _, subtype: __, ...mention } = messageEvent(message, channel, world);
        add({ ...mention, type: "app_mention" });
      }
      return;
    }
    case "changed":
      add({
        ...envelopeOf(channel, world),
        subtype: "message_changed",
        message: toWireMessage(message, world),
        previous_message: {
          ...toWireMessage({ ...message, files: event.beforeFiles }, world),
          text: event.before,
          edited: event.beforeTs === undefined ? undefined : { user: message.user.id, ts: event.beforeTs },
        },
      });
      return;
    case "deleted":
      add({
        ...envelopeOf(channel, world),
        subtype: "message_deleted",
        deleted_ts: message.ts,
        previous_message: toWireMessage(message, world),
      });
      return;
    case "reaction_added":
    case "reaction_removed":
      add({
        type: event.type,
        user: event.user.id,
        reaction: event.reaction,
        item: { type: "message", channel: message.channel, ts: message.ts },
        item_user: message.user.id,
        event_ts: world.nextTs(),
      });
      return;
    default:
      event satisfies never;
  }
}

/** The outer part of every event; `event_id` is new each time, also for the same message. */
export function eventBody(world: World, event: object): Record<string, unknown> {
  return {
    token: "verification-token",
    team_id: world.teamId,
    api_app_id: world.appId,
    event,
    type: "event_callback",
    event_id: newId("Ev"),
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [{ enterprise_id: null, team_id: world.teamId, user_id: world.bot.id, is_bot: true }],
    is_ext_shared_channel: false,
  };
}

export function messageEvent(message: StoredMessage, channel: SlackChannel, world: World): Record<string, unknown> {
  const context = world.hasAgentView && channel.kind === "im" ? world.contexts.get(message.user.id) : undefined;
  return {
    ...toWireMessage(message, world),
    ...(context === undefined ? {} : { app_context: context }),
    channel: channel.id,
    event_ts: message.ts,
    channel_type: channel.kind,
  };
}

function envelopeOf(channel: SlackChannel, world: World) {
  const ts = world.nextTs();
  return { type: "message", channel: channel.id, ts, event_ts: ts, hidden: true, channel_type: channel.kind };
}
