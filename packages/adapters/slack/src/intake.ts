import type { AdapterHost } from "@talaria/adapter";
import type { Lanes } from "@talaria/adapter-kit";
import { type AccountId, type Clock, GatewayError, type InboundEvent, type Log } from "@talaria/protocol";
import { missedIn } from "./backfill.ts";
import type { SlackClient } from "./client.ts";
import type { Cursors } from "./cursors.ts";
import {
  isDirect,
  messageKey,
  toAction,
  toCommand,
  toCreated,
  toDeleted,
  toEdited,
  toReaction,
  type Viewpoint,
} from "./inbound.ts";
import { mentionsIn } from "./mrkdwn.ts";
import type { People } from "./people.ts";
import type { Readers } from "./readers.ts";
import {
  type ChangedEvent,
  type DeletedEvent,
  read,
  type SlackMessage,
  type SlackSelf,
  type SpokenEvent,
} from "./wire.ts";

export interface IntakeDeps {
  readonly accountId: AccountId;
  readonly host: AdapterHost;
  readonly client: SlackClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly people: People;
  readonly cursors: Cursors;
  readonly lanes: Lanes;
  readonly readers: Readers;
  readonly commands: ReadonlySet<string>;
  readonly command: string;
  readonly answerInThread: boolean;
  readonly catchUpMs: number;
}

/**
 * Slack repeats by itself what was missed in a shorter time, but late: then the places used last are enough, so that
 * nothing newer overtakes it there.
 */
const shortGapMs = 60_000;
const mostPlaces = { short: 10, long: 100 };
const mostBackfillTries = 3;

type Convert = (view: Viewpoint) => InboundEvent | undefined;

/** Hands what Slack tells to the host, each channel in order. */
export class Intake {
  readonly #deps: IntakeDeps;
  #self: SlackSelf | undefined;
  #aliveAt = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Events come from now on. What was missed until now is queued before them. */
  begin(self: SlackSelf): void {
    const { clock, cursors } = this.#deps;
    this.#self = self;
    const now = clock.now();
    const most = now - this.#aliveAt > shortGapMs ? mostPlaces.long : mostPlaces.short;
    for (const [place, ts] of cursors.places().slice(0, most)) this.#queueMissed(place, ts, now);
    this.#aliveAt = now;
  }

  /** Events can flow, or could until now. */
  alive(): void {
    this.#aliveAt = this.#deps.clock.now();
  }

  /** Who we are in Slack. Throws before the first connection. */
  self(): SlackSelf {
    if (this.#self !== undefined) return this.#self;
    throw new GatewayError("nothing is taken before the first connection", { code: "unavailable", effect: "none" });
  }

  // Each of these resolves when nobody needs it again, and rejects when Slack should bring it again. When the call
  // returns, the event has its place in the lane of its channel.

  /** A message, a change or a deletion. */
  async message(body: unknown): Promise<void> {
    const event = this.#ours(body);
    switch (event?.subtype) {
      case "message_changed":
        return this.#changed(read.changed(event));
      case "message_deleted":
        return this.#deleted(read.deleted(event));
      default:
        return this.#created(read.spoken(event));
    }
  }

  async mention(body: unknown): Promise<void> {
    return this.#created(read.spoken(this.#ours(body)));
  }

  async reaction(body: unknown, type: "reaction.added" | "reaction.removed"): Promise<void> {
    const reaction = read.reaction(this.#ours(body));
    if (reaction === undefined) return;
    const { item, user, event_ts } = reaction;
    const key = `${type}/${item.channel}/${item.ts}/${user}/${event_ts}`;
    return this.#add(item.channel, key, [user], (view) => toReaction(reaction, type, view));
  }

  async command(body: unknown): Promise<void> {
    const given = read.command(body);
    if (given === undefined || (given.team_id !== undefined && given.team_id !== this.self().team_id)) return;
    const { commands, command } = this.#deps;
    const convert: Convert = (view) => toCommand(given, commands, command, view);
    return this.#add(given.channel_id, `c/${given.trigger_id}`, [given.user_id], convert);
  }

  /** The press of a button. */
  async press(body: unknown): Promise<void> {
    const press = read.press(body);
    if (press === undefined || (press.team && press.team.id !== this.self().team_id)) return;
    const key = `a/${press.channel.id}/${press.message.ts}/${press.actions[0]?.action_ts}`;
    return this.#add(press.channel.id, key, [press.user.id], (view) => toAction(press, view));
  }

  /** The event in a body, unless it is of another workspace. */
  #ours(body: unknown): Readonly<Record<string, unknown>> | undefined {
    const outer = read.outer(body);
    const { team_id: own } = this.self();
    const teams = [outer?.team_id, ...(outer?.authorizations ?? []).map(({ team_id }) => team_id)];
    if (outer?.team_id === undefined || teams.includes(own)) return outer?.event;
    this.#deps.log.warn({ accountId: this.#deps.accountId }, "an event of another workspace was dropped");
    return undefined;
  }

  async #changed(changed: ChangedEvent | undefined): Promise<void> {
    if (changed === undefined) return;
    const { message, previous_message: before, channel } = changed;
    if (message.subtype === "tombstone")
      return this.#deleted({ ...changed, deleted_ts: message.ts, previous_message: before });
    // Previews and new answers change a message too, but not the time of its last edit.
    if (message.edited === undefined || message.edited.ts === before?.edited?.ts) return;
    const key = `e/${channel}/${message.ts}/${message.edited.ts}`;
    return this.#add(channel, key, peopleOf(message), (view) => toEdited(message, channel, view));
  }

  async #deleted(deleted: DeletedEvent | undefined): Promise<void> {
    if (deleted === undefined) return;
    const { channel, deleted_ts: ts, previous_message: before } = deleted;
    return this.#add(channel, `d/${channel}/${ts}`, peopleOf(before), (view) => toDeleted(deleted, view));
  }

  async #created(message: SpokenEvent | undefined): Promise<void> {
    if (message === undefined) return;
    const { channel, ts } = message;
    const key = messageKey(this.self(), channel, ts);
    await this.#add(channel, key, peopleOf(message), (view) => this.#noted(toCreated(message, channel, view), message));
    const thread = message.thread_ts === ts ? undefined : message.thread_ts;
    this.#deps.cursors.move(thread === undefined ? channel : `${channel}/${thread}`, ts);
  }

  /** Who wrote last in a thread is whom a stream there is written for. */
  #noted(event: InboundEvent | undefined, { user, team }: SlackMessage): InboundEvent | undefined {
    if (event?.sender.role === "person" && user !== undefined)
      this.#deps.readers.note(event.conversation, { userId: user, teamId: team ?? this.#self?.team_id ?? "" });
    return event;
  }

  #add(channel: string, key: string, people: readonly string[], convert: Convert): Promise<void> {
    return this.#deps.lanes.add(channel, key, (signal) => this.#accept(channel, people, convert, signal));
  }

  async #accept(channel: string, people: readonly string[], convert: Convert, signal: AbortSignal): Promise<void> {
    const { host, accountId, clock, answerInThread } = this.#deps;
    const self = this.self();
    const others = people.filter((id) => id !== self.user_id);
    const [known, title] = await Promise.all([
      this.#deps.people.of(others, signal),
      isDirect(channel) ? undefined : this.#deps.people.titleOf(channel, signal),
    ]);
    if (signal.aborted) throw signal.reason;
    const event = convert({ accountId, self, known, title, receivedAt: clock.now(), answerInThread });
    if (event !== undefined) await host.accept(event);
  }

  #queueMissed(place: string, ts: string, now: number): void {
    const { lanes, client, catchUpMs, cursors, log } = this.#deps;
    const [channel = ""] = place.split("/");
    const oldest = `${Math.floor((now - catchUpMs) / 1_000)}.000000`;
    const after = ts > oldest ? ts : oldest;
    let tries = 0;
    const task = async (signal: AbortSignal) => {
      tries += 1;
      try {
        for (const message of await missedIn({ client, place, after }, signal))
          await this.#missed(message, place, signal);
      } catch (error) {
        if (signal.aborted || tries < mostBackfillTries) throw error;
        log.warn({ conversationId: channel, error }, "what was missed in a channel could not be fetched");
        cursors.forget(place);
      }
    };
    lanes.addOnce(channel, place, task);
  }

  async #missed(value: unknown, place: string, signal: AbortSignal): Promise<void> {
    const [channel = ""] = place.split("/");
    const message = read.spoken({ ...(value as object), channel });
    if (message === undefined) return;
    const convert: Convert = (view) => this.#noted(toCreated(message, channel, view), message);
    await this.#accept(channel, peopleOf(message), convert, signal);
    this.#deps.cursors.move(place, message.ts);
  }
}

/** Whom a message names: its writer first. */
function peopleOf(message: SlackMessage | undefined): readonly string[] {
  if (message === undefined) return [];
  return [...(message.user === undefined ? [] : [message.user]), ...mentionsIn(message.text ?? "")];
}
