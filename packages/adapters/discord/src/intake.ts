import type { Lanes } from "@talaria/adapter-kit";
import type { InboundEvent, Log } from "@talaria/protocol";
import type { CatchUp } from "./catch-up.ts";
import type { CommandMenu } from "./commands.ts";
import { toDeletionEvent, toMessageEvent, toReactionEvent, type Viewpoint } from "./inbound.ts";
import type { Interactions } from "./interactions.ts";
import type { OwnRoles } from "./own-roles.ts";
import type { Places } from "./places.ts";
import type { Recorder } from "./recorder.ts";
import { type DiscordGuild, type DiscordInteraction, type DiscordMessage, read } from "./wire.ts";

/** One event as the gateway sends it. */
export interface Packet {
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

export interface IntakeDeps {
  readonly log: Log;
  readonly places: Places;
  readonly ownRoles: OwnRoles;
  readonly lanes: Lanes;
  readonly recorder: Recorder;
  readonly catchUp: CatchUp;
  readonly interactions: Interactions;
  readonly menu: CommandMenu;
  /** Called for an event of a known kind that can't be read, with Discord's name of the kind. */
  readonly unreadable: (kind: string) => void;
}

/**
 * Reads what Discord tells and gives each event its place in the lane of its channel. A new session begins with what was missed: until every
 * channel's gap is queued, events wait, so that nothing newer overtakes it.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  #sessionId = "";
  /** Events that came between the begin of a session and its whole list of channels. */
  #early: Packet[] | undefined;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Takes one event. Never throws. */
  take(packet: Packet): void {
    if (packet.t === "READY") this.#begin(packet.d);
    else if (this.#learn(packet)) return;
    else if (this.#early !== undefined) this.#early.push(packet);
    else this.#route(packet);
  }

  /** The list of channels is complete: queues what each one missed, then what came meanwhile. */
  complete(): void {
    const early = this.#early;
    if (early === undefined) return;
    this.#early = undefined;
    this.#deps.catchUp.queueAll();
    for (const packet of early) this.#route(packet);
  }

  #begin(data: unknown): void {
    const ready = read.ready(data);
    if (ready === undefined) return;
    const { recorder, places, ownRoles, menu } = this.#deps;
    recorder.become(ready.user.id);
    ownRoles.begin(ready.user.id);
    this.#sessionId = ready.session_id;
    this.#early = [];
    places.clear();
    menu.queue(ready.application?.id ?? ready.user.id);
  }

  /** The session was resumed. Discord repeats what it told meanwhile, but a list that it did not finish may be lost. */
  resumed(): void {
    this.#deps.ownRoles.forgetAll();
    this.complete();
  }

  /** Remembers what an event tells about channels and roles. True when it tells nothing else. */
  #learn({ t, d }: Packet): boolean {
    const { places, ownRoles } = this.#deps;
    switch (t) {
      case "GUILD_CREATE": {
        const guild = read.guild(d);
        if (guild !== undefined) this.#learnGuild(guild);
        return true;
      }
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE": {
        const channel = read.channel(d);
        if (channel !== undefined) places.learn(channel);
        return true;
      }
      case "THREAD_LIST_SYNC":
        for (const thread of read.threadList(d)?.threads ?? []) places.learn(thread);
        return true;
      case "GUILD_ROLE_CREATE":
      case "GUILD_ROLE_UPDATE": {
        const change = read.roleChange(d);
        if (change !== undefined) ownRoles.change(change.guild_id, change.role);
        return true;
      }
      case "GUILD_ROLE_DELETE": {
        const deletion = read.roleDeletion(d);
        if (deletion !== undefined) ownRoles.forget(deletion.guild_id, deletion.role_id);
        return true;
      }
      case "CHANNEL_DELETE":
      case "THREAD_DELETE": {
        const channel = read.channel(d);
        if (channel !== undefined) places.forget(channel.id);
        return true;
      }
      default:
        return false;
    }
  }

  /** A server that was out of order when the session began comes late, and its channels missed something too. */
  #learnGuild({ id, joined_at, channels, threads, roles }: DiscordGuild): void {
    const { catchUp, places, ownRoles } = this.#deps;
    ownRoles.learn(id, roles);
    const joinedAt = Date.parse(joined_at ?? "");
    if (Number.isFinite(joinedAt)) catchUp.joined(id, joinedAt);
    const all = [...channels, ...threads];
    for (const channel of all) places.learn({ ...channel, guild_id: id });
    if (this.#early === undefined) catchUp.queueMissed(all.map((channel) => channel.id));
  }

  #route({ t, s, d }: Packet): void {
    switch (t) {
      case "MESSAGE_CREATE":
        this.#created(this.#known(t, read.message(d)));
        return;
      case "MESSAGE_UPDATE": {
        const message = isPartial(d) ? undefined : this.#known(t, read.message(d));
        const key = `e${message?.id}-${message?.edited_timestamp}`;
        this.#add(message, key, (view) => message && toMessageEvent(message, "message.edited", view), message?.content);
        return;
      }
      case "MESSAGE_DELETE": {
        const deletion = this.#known(t, read.deletion(d));
        this.#add(deletion, `d${deletion?.id}`, (view) => deletion && toDeletionEvent(deletion.id, view));
        return;
      }
      case "MESSAGE_DELETE_BULK": {
        const deletion = this.#known(t, read.bulkDeletion(d));
        for (const id of deletion?.ids ?? []) this.#add(deletion, `d${id}`, (view) => toDeletionEvent(id, view));
        return;
      }
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE": {
        const reaction = this.#known(t, read.reaction(d));
        const type = t === "MESSAGE_REACTION_ADD" ? "reaction.added" : "reaction.removed";
        const key = `${this.#sessionId}-${s}`;
        this.#add(reaction, `r${key}`, (view) => reaction && toReactionEvent(reaction, type, key, view));
        return;
      }
      case "INTERACTION_CREATE":
        this.#interact(this.#known(t, read.interaction(d)));
        return;
    }
  }

  /** What was read of an event of this kind. Undefined, and counted, when it could not be. */
  #known<Known>(kind: string, known: Known | undefined): Known | undefined {
    if (known === undefined) this.#deps.unreadable(kind);
    return known;
  }

  /** For what there is no room it is fetched again when its turn comes: the channel's cursor stays before it. */
  #created(message: DiscordMessage | undefined): void {
    if (message === undefined) return;
    const { lanes, recorder, catchUp } = this.#deps;
    const { id, channel_id: channelId } = message;
    const isDirect = message.guild_id === undefined;
    // Discord lists no direct channels, so what was missed in one that is new to us shows only now.
    if (isDirect) catchUp.queueNew(channelId);
    lanes
      .add(channelId, `m${id}`, (signal) => recorder.recordMessage(message, isDirect, signal))
      .catch(() => catchUp.queue(channelId));
  }

  #add(
    place: Placed | undefined,
    key: string,
    convert: (view: Viewpoint) => InboundEvent | undefined,
    text?: string,
  ): void {
    if (place === undefined) return;
    const happening = { channelId: place.channel_id, isDirect: place.guild_id === undefined, text, convert };
    this.#addOrDrop(place.channel_id, key, (signal) => this.#deps.recorder.record(happening, signal));
  }

  /** Lets nothing wait for it: what a channel missed may take longer than Discord waits for an answer. */
  #interact(interaction: DiscordInteraction | undefined): void {
    if (interaction === undefined) return;
    const { id, channel_id: channelId } = interaction;
    const task = (signal: AbortSignal) => this.#deps.interactions.take(interaction, signal);
    this.#addOrDrop(`interactions of ${channelId}`, `i${id}`, task);
  }

  /** For what cannot be fetched again. */
  #addOrDrop(lane: string, key: string, task: (signal: AbortSignal) => Promise<void>): void {
    const { lanes, log } = this.#deps;
    lanes
      .add(lane, key, task)
      .catch((error: unknown) =>
        log.warn({ conversationId: lane, error }, "an event is dropped that discord tells once"),
      );
  }
}

/** An update that only completes what Discord shows of links has no author, and says nothing new. */
function isPartial(data: unknown): boolean {
  return typeof data === "object" && data !== null && !("author" in data);
}

interface Placed {
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
}
