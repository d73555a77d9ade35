import { BoundedMap } from "@talaria/adapter-kit";
import { brandAs, type InboundEvent, type Quote, type UserId } from "@talaria/protocol";
import type { SlackContext, SlackMessage } from "./wire-content.ts";

const keptPeople = 2_000;
/** In a group everybody would read where somebody looks. */
const kind = "direct";

/**
 * Which channel people look at while they write to us. Messages to apps with an `agent_view` bring it along; apps with an
 * `assistant_view` are told when it changes. Only ids go on: the name of a channel is somebody's choice. Bounded; a restart empties it.
 */
export class Viewing {
  readonly #channels = new BoundedMap<string, string>(keptPeople);

  /** Somebody looks at a channel, or with `undefined` at none. */
  note(userId: string, channel: string | undefined): void {
    if (channel === undefined) this.#channels.delete(userId);
    else this.#channels.set(userId, channel);
  }

  /** The event with what its sender looks at, where it says something and answers nothing else. */
  beside(event: InboundEvent | undefined, { user, app_context }: SlackMessage, team: string): InboundEvent | undefined {
    if (event?.type !== "message.created" || event.conversation.kind !== kind || user === undefined) return event;
    if (app_context !== undefined) this.note(user, channelIn(app_context, team));
    const channel = this.#channels.get(user);
    const { markdown, quote } = event.message;
    if (channel === undefined || quote !== undefined || markdown === "") return event;
    return { ...event, message: { ...event.message, quote: factOf(channel) } };
  }
}

/** The first channel of ours in it, or that of a message. */
export function channelIn({ entities }: SlackContext, team: string): string | undefined {
  const ours = entities.filter(({ team_id }) => team_id === undefined || team_id === team);
  return ours.flatMap(({ type, value }) => channelOf(type, value) ?? [])[0];
}

function channelOf(type: string, value: SlackContext["entities"][number]["value"]): string | undefined {
  const found = typeof value === "object" ? value.channel_id : type === "slack#/types/channel_id" ? value : "";
  return /^[CG][A-Z0-9]{2,40}$/.test(found) ? found : undefined;
}

function factOf(channel: string): Quote {
  const markdown = `while writing this, the sender has slack:group:${channel} open`;
  return { userId: brandAs<UserId>("slack"), displayName: "Slack", markdown, fact: true };
}
