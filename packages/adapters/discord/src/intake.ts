import type { AdapterHost } from "@talaria/adapter";
import { BoundedMap, type Lanes } from "@talaria/adapter-kit";
import type { Clock, InboundEvent, Log } from "@talaria/protocol";
import { answerInteraction } from "./answer-interaction.ts";
import { backfill } from "./backfill.ts";
import type { DiscordClient } from "./client.ts";
import { type Cursors, firstIdAt } from "./cursors.ts";
import { toDeletionEvent, toMessageEvent, toReactionEvent, type Viewpoint } from "./inbound.ts";
import type { OpenAnswers } from "./open-answers.ts";
import type { Places } from "./places.ts";
import { type DiscordGuild, type DiscordInteraction, type DiscordMessage, read } from "./wire.ts";

/** One event as the gateway sends it. */
export interface Packet {
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

export interface IntakeDeps {
  readonly host: AdapterHost;
  readonly client: DiscordClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly cursors: Cursors;
  readonly places: Places;
  readonly lanes: Lanes;
  /** Slash commands that wait for their answer. */
  readonly answers: OpenAnswers;
  /** What happened longer ago is not fetched. */
  readonly catchUpMs: number;
  /** A new session tells which application we are. */
  readonly began: (applicationId: string) => void;
}

/**
 * Hands what Discord tells to the host, each channel in order. A new session begins with what was missed: until every
 * channel's gap is queued, events wait, so that nothing newer overtakes it.
 */
export class Intake {
  readonly #deps: IntakeDeps;
  /** The first id that could be given out after we joined a server. */
  readonly #joined = new Map<string, bigint>();
  /** Messages may come twice, and the older one after the newer: a cursor alone would lose it. */
  readonly #accepted = new BoundedMap<string, true>(5_000);
  #selfId = "";
  #sessionId = "";
  /** Events that came between the begin of a session and its whole list of channels. */
  #held: Packet[] | undefined;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Takes one event. Never throws. */
  take(packet: Packet): void {
    if (packet.t === "READY") this.#begin(packet.d);
    else if (this.#learn(packet)) return;
    else if (this.#held !== undefined) this.#held.push(packet);
    else this.#route(packet);
  }

  /** The list of channels is complete: queues what each one missed, then what came meanwhile. */
  complete(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { cursors, places } = this.#deps;
    this.#queueMissed(new Set([...cursors.channels(), ...places.ids()]));
    for (const packet of held) this.#route(packet);
  }

  /** Of channels we know from before, also those whose last message Discord does not tell. */
  #queueMissed(channelIds: Iterable<string>): void {
    const { cursors, places } = this.#deps;
    for (const id of channelIds) {
      const last = places.get(id)?.last_message_id;
      const isBehind = last === undefined ? cursors.knows(id) : BigInt(last) > this.#lastSeenIn(id);
      if (isBehind) this.#catchUp(id);
    }
  }

  /** After which message of a channel we want everything: not from before we joined its server. */
  #lastSeenIn(channelId: string): bigint {
    const { cursors, places } = this.#deps;
    const joined = this.#joined.get(places.get(channelId)?.guild_id ?? "") ?? 0n;
    const seen = cursors.of(channelId);
    return seen > joined ? seen : joined;
  }

  #begin(data: unknown): void {
    const ready = read.ready(data);
    if (ready === undefined) return;
    this.#selfId = ready.user.id;
    this.#sessionId = ready.session_id;
    this.#held = [];
    this.#deps.places.clear();
    this.#deps.began(ready.application?.id ?? ready.user.id);
  }

  /** Remembers what an event tells about channels. True when it tells nothing else. */
  #learn({ t, d }: Packet): boolean {
    const { places } = this.#deps;
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
  #learnGuild({ id, joined_at, channels, threads }: DiscordGuild): void {
    const joinedAt = Date.parse(joined_at ?? "");
    if (Number.isFinite(joinedAt)) this.#joined.set(id, firstIdAt(joinedAt));
    const all = [...channels, ...threads];
    for (const channel of all) this.#deps.places.learn({ ...channel, guild_id: id });
    if (this.#held === undefined) this.#queueMissed(all.map((channel) => channel.id));
  }

  #route({ t, s, d }: Packet): void {
    switch (t) {
      case "MESSAGE_CREATE":
        this.#created(read.message(d));
        return;
      case "MESSAGE_UPDATE": {
        const message = read.message(d);
        const key = `e${message?.id}-${message?.edited_timestamp}`;
        this.#add(message, key, (view) => message && toMessageEvent(message, "message.edited", view));
        return;
      }
      case "MESSAGE_DELETE": {
        const deletion = read.deletion(d);
        this.#add(deletion, `d${deletion?.id}`, (view) => deletion && toDeletionEvent(deletion.id, view));
        return;
      }
      case "MESSAGE_DELETE_BULK": {
        const deletion = read.bulkDeletion(d);
        for (const id of deletion?.ids ?? []) this.#add(deletion, `d${id}`, (view) => toDeletionEvent(id, view));
        return;
      }
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE": {
        const reaction = read.reaction(d);
        const type = t === "MESSAGE_REACTION_ADD" ? "reaction.added" : "reaction.removed";
        const key = `${this.#sessionId}-${s}`;
        this.#add(reaction, `r${key}`, (view) => reaction && toReactionEvent(reaction, type, key, view));
        return;
      }
      case "INTERACTION_CREATE":
        this.#interact(read.interaction(d));
        return;
    }
  }

  /** For what there is no room it is fetched again when its turn comes: the channel's cursor stays before it. */
  #created(message: DiscordMessage | undefined): void {
    if (message === undefined) return;
    const { lanes, cursors } = this.#deps;
    const { id, channel_id: channelId } = message;
    const isDirect = message.guild_id === undefined;
    // Discord lists no direct channels, so what was missed in one that is new to us shows only now.
    if (isDirect && !cursors.knows(channelId)) this.#catchUp(channelId);
    const task = (signal: AbortSignal) => this.#acceptNew(message, isDirect, signal);
    lanes.add(channelId, `m${id}`, task).catch(() => this.#catchUp(channelId));
  }

  #add(place: Placed | undefined, key: string, convert: (view: Viewpoint) => InboundEvent | undefined): void {
    if (place === undefined) return;
    const { channel_id: channelId } = place;
    const isDirect = place.guild_id === undefined;
    this.#addOrDrop(channelId, key, (signal) => this.#accept(channelId, isDirect, convert, signal));
  }

  /** Lets nothing wait for it: what a channel missed may take longer than Discord waits for an answer. */
  #interact(interaction: DiscordInteraction | undefined): void {
    if (interaction === undefined) return;
    const { id, channel_id: channelId } = interaction;
    this.#addOrDrop(`interactions of ${channelId}`, `i${id}`, (signal) =>
      answerInteraction(interaction, this.#selfId, this.#deps, signal),
    );
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

  /** Queues fetching what a channel missed. A fetch that has not begun will find everything until then. */
  #catchUp(channelId: string): void {
    this.#deps.lanes.addOnce(channelId, channelId, (signal) => this.#backfill(channelId, signal));
  }

  async #backfill(channelId: string, signal: AbortSignal): Promise<void> {
    const { client, clock, catchUpMs, cursors, places } = this.#deps;
    const accept = (message: DiscordMessage) => this.#acceptNew(message, false, signal);
    const after = this.#lastSeenIn(channelId);
    const outcome = await backfill({ client, clock, catchUpMs, channelId, after, accept }, signal);
    if (outcome === "done") return;
    places.forget(channelId);
    await cursors.forget(channelId);
  }

  async #acceptNew(message: DiscordMessage, isDirect: boolean, signal: AbortSignal): Promise<void> {
    if (this.#accepted.has(message.id)) return;
    const convert = (view: Viewpoint) => toMessageEvent(message, "message.created", view);
    await this.#accept(message.channel_id, isDirect, convert, signal);
    await this.#deps.cursors.move(message.channel_id, BigInt(message.id));
    this.#accepted.set(message.id, true);
  }

  async #accept(
    channelId: string,
    isDirect: boolean,
    convert: (view: Viewpoint) => InboundEvent | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { host, places, clock } = this.#deps;
    const conversation = await places.conversationOf(channelId, isDirect, signal);
    if (conversation === undefined) return;
    const channelName = (id: string) => places.get(id)?.name;
    const event = convert({ selfId: this.#selfId, conversation, receivedAt: clock.now(), channelName });
    if (event !== undefined) await host.accept(event);
  }
}

interface Placed {
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
}
