import type { Lanes } from "@talaria/adapter-kit";
import { type AccountId, isGatewayError, type Log } from "@talaria/protocol";
import type { AgentSessions } from "./agent-sessions.ts";
import type { SlackClient } from "./client.ts";
import {
  isDirect,
  messageKey,
  toAction,
  toCommand,
  toDeleted,
  toEdited,
  toReaction,
  toStopped,
  toTitled,
} from "./inbound.ts";
import { filesIn } from "./inbound-message.ts";
import type { Presses } from "./presses.ts";
import { type Happening, namesIn, type Recorder } from "./recorder.ts";
import type { SuggestedPrompts } from "./suggested-prompts.ts";
import type { Unreadable } from "./unreadable.ts";
import { channelIn, type Viewing } from "./viewing.ts";
import { type ChangedEvent, type DeletedEvent, read, type SlackSelf, type SpokenEvent } from "./wire.ts";

type Convert = Happening["convert"];

export interface IntakeDeps {
  readonly accountId: AccountId;
  readonly log: Log;
  readonly lanes: Lanes;
  readonly recorder: Recorder;
  readonly unreadable: Unreadable;
  readonly prompts: SuggestedPrompts;
  readonly presses: Presses;
  readonly viewing: Viewing;
  readonly sessions: Pick<AgentSessions, "settle" | "opened">;
  readonly client: Pick<SlackClient, "call">;
  /** Names of control commands, and of the slash command that takes them as its first word. */
  readonly commands: ReadonlySet<string>;
  readonly command: string;
}

/**
 * Reads what Slack brings and gives each event its place in the lane of its channel. Its methods resolve when nobody needs the
 * event again, and reject when Slack should bring it again. When the call returns, the event has its place.
 */
export class Intake {
  readonly #deps: IntakeDeps;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Who we are in Slack. Throws before the first connection. */
  self(): SlackSelf {
    return this.#deps.recorder.self();
  }

  /** A message, a change or a deletion. */
  async message(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    switch (event.subtype) {
      case "message_changed":
        return this.#changed(read.changed(event) ?? this.#cannot("message_changed", "changed", event));
      case "message_deleted":
        return this.#deleted(read.deleted(event) ?? this.#cannot("message_deleted", "deleted", event));
      default:
        return this.#created(read.spoken(event) ?? this.#cannot("message", "spoken", event));
    }
  }

  async mention(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event !== undefined) return this.#created(read.spoken(event) ?? this.#cannot("app_mention", "spoken", event));
  }

  async reaction(body: unknown, type: "reaction.added" | "reaction.removed"): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined || !isOnMessage(event)) return;
    const reaction = read.reaction(event) ?? this.#cannot(type, "reaction", event);
    if (reaction === undefined) return;
    const { item, user, event_ts } = reaction;
    const key = `${type}/${item.channel}/${item.ts}/${user}/${event_ts}`;
    const convert: Convert = (view) => toReaction(reaction, type, view);
    return this.#add(key, { channel: item.channel, people: [user], convert });
  }

  /** Somebody opened an assistant thread. Nothing is recorded, and Slack need not wait for what is shown there. */
  async opened(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const thread = (read.opened(event) ?? this.#cannot("assistant_thread_started", "opened", event))?.assistant_thread;
    if (thread === undefined) return;
    const { lanes, prompts, sessions } = this.#deps;
    sessions.opened({ channel: thread.channel_id, thread_ts: thread.thread_ts });
    const key = `p/${thread.channel_id}/${thread.thread_ts}`;
    lanes.add(key, key, (signal) => prompts.show(thread, signal)).catch(() => undefined);
  }

  /** Somebody opened the conversation with an app that has an `agent_view`: its prompts stand above all messages. */
  async home(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const home = read.home(event) ?? this.#cannot("app_home_opened", "home", event);
    if (home?.tab !== "messages") return;
    const { lanes, prompts } = this.#deps;
    const key = `p/${home.channel}`;
    lanes
      .add(key, key, (signal) => prompts.show({ channel_id: home.channel, user_id: home.user }, signal))
      .catch(() => undefined);
  }

  /** Somebody looks at another channel beside the conversation with an app that has an `agent_view`. Nothing is recorded. */
  async viewed(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const viewed = read.viewed(event) ?? this.#cannot("app_context_changed", "viewed", event);
    if (viewed !== undefined) this.#deps.viewing.note(viewed.user, channelIn(viewed.context, this.self().team_id));
  }

  /** The same of an earlier app. */
  async assistantViewed(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const kind = "assistant_thread_context_changed";
    const viewed = (read.assistantViewed(event) ?? this.#cannot(kind, "assistantViewed", event))?.assistant_thread;
    if (viewed === undefined) return;
    const { channel_id: value, team_id } = viewed.context;
    const entities = value === undefined ? [] : [{ type: "slack#/types/channel_id", value, team_id }];
    this.#deps.viewing.note(viewed.user_id, channelIn({ entities }, this.self().team_id));
  }

  /** Somebody pressed Slack's stop button. Its session stays as it is until we say otherwise. */
  async stopped(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const stopped = read.stopped(event) ?? this.#cannot("agent_session_stopped", "stopped", event);
    if (stopped === undefined) return;
    const { lanes, recorder, sessions } = this.#deps;
    const { channel, user, thread_ts, event_ts } = stopped;
    return lanes.add(channel, `s/${channel}/${thread_ts}/${event_ts}`, async (signal) => {
      const beganBy = await this.#beganBy(channel, thread_ts, signal);
      const convert: Convert = (view) => toStopped(stopped, beganBy, view);
      const acceptance = await recorder.record({ channel, people: [user], convert }, signal);
      if (acceptance !== "dropped") sessions.settle({ channel, thread_ts });
    });
  }

  /** Somebody gave a session another title in Slack. */
  async titled(body: unknown): Promise<void> {
    const event = this.#ours(body);
    if (event === undefined) return;
    const titled = read.titled(event) ?? this.#cannot("agent_session_title_changed", "titled", event);
    if (titled === undefined) return;
    const { lanes, recorder } = this.#deps;
    const { channel, user, thread_ts: thread, event_ts } = titled;
    return lanes.add(channel, `t/${channel}/${thread}/${event_ts}`, async (signal) => {
      const beganBy = await this.#beganBy(channel, thread, signal);
      const convert: Convert = (view) => toTitled(titled, beganBy, view);
      await recorder.record({ channel, people: [user], convert, thread }, signal);
    });
  }

  async command(body: unknown): Promise<void> {
    const given = read.command(body);
    if (given === undefined || (given.team_id !== undefined && given.team_id !== this.self().team_id)) return;
    const { commands, command } = this.#deps;
    const convert: Convert = (view) => toCommand(given, commands, command, view);
    return this.#add(`c/${given.trigger_id}`, { channel: given.channel_id, people: [given.user_id], convert });
  }

  /** The press of a button. */
  async press(body: unknown): Promise<void> {
    const press = read.press(body);
    if (press === undefined || (press.team && press.team.id !== this.self().team_id)) return;
    const key = `a/${press.channel.id}/${press.message.ts}/${press.actions[0]?.action_ts}`;
    const convert: Convert = (view) => toAction(press, view);
    const thread = press.message.thread_ts ?? press.message.ts;
    const happening = { channel: press.channel.id, people: [press.user.id], convert, thread };
    const { lanes, recorder, presses } = this.#deps;
    return lanes.add(press.channel.id, key, async (signal) => {
      let refusal: string | undefined;
      const tellRefused = (words: string) => {
        refusal = words;
      };
      const acceptance = await recorder.record(
        isDirect(press.channel.id) ? happening : { ...happening, tellRefused },
        signal,
      );
      if (acceptance !== undefined) await presses.answer(press, acceptance, refusal);
    });
  }

  /** Who wrote the first message of a thread, where that tells its conversation. Undefined when Slack does not know it. */
  async #beganBy(channel: string, ts: string, signal: AbortSignal): Promise<string | undefined> {
    if (!isDirect(channel)) return undefined;
    try {
      const answer = await this.#deps.client.call("conversations.replies", { channel, ts, limit: 1 }, signal);
      return read.spoken({ ...(read.history(answer)?.messages[0] as object), channel })?.user;
    } catch (error) {
      if (isGatewayError(error, "not_found") || isGatewayError(error, "forbidden")) return undefined;
      throw error;
    }
  }

  #cannot(...[kind, schema, value]: Parameters<Unreadable["note"]>): undefined {
    this.#deps.unreadable.note(kind, schema, value);
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
    const at = editedAt(changed);
    if (at === undefined) return;
    const key = `e/${channel}/${message.ts}/${at}`;
    const thread = message.thread_ts ?? message.ts;
    const convert: Convert = (view) => toEdited(message, channel, view, at);
    return this.#add(key, { channel, ...namesIn(message), convert, thread });
  }

  async #deleted(deleted: DeletedEvent | undefined): Promise<void> {
    if (deleted === undefined) return;
    const { channel, deleted_ts: ts, previous_message: before } = deleted;
    const convert: Convert = (view) => toDeleted(deleted, view);
    return this.#add(`d/${channel}/${ts}`, { channel, ...namesIn(before), convert });
  }

  async #created(message: SpokenEvent | undefined): Promise<void> {
    if (message === undefined) return;
    const { lanes, recorder } = this.#deps;
    const { channel, ts, thread_ts: thread } = message;
    const place = thread === undefined || thread === ts ? channel : `${channel}/${thread}`;
    const key = messageKey(this.self(), channel, ts);
    return lanes.add(channel, key, (signal) => recorder.recordMessage(message, place, signal));
  }

  #add(key: string, happening: Happening): Promise<void> {
    const { lanes, recorder } = this.#deps;
    return lanes.add(happening.channel, key, async (signal) => void (await recorder.record(happening, signal)));
  }
}

/**
 * When a person changed a message. Previews and new answers change it too, but neither the time of its last edit nor its files; a file
 * that is taken out of it changes its files alone.
 */
function editedAt({ message, previous_message: before, ts }: ChangedEvent): string | undefined {
  if (message.edited !== undefined && message.edited.ts !== before?.edited?.ts) return message.edited.ts;
  return before === undefined || filesIn(message) === filesIn(before) ? undefined : ts;
}

/** Reactions to files that were posted in the old way name no message. */
function isOnMessage({ item }: Readonly<Record<string, unknown>>): boolean {
  return typeof item !== "object" || item === null || !("type" in item) || item.type === "message";
}
