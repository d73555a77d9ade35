import { awaitMessage } from "@talaria/testkit";
import type { Deliveries, Delivery } from "./deliveries.ts";
import { eventBody, messageEvent } from "./events.ts";
import { toWireMessage } from "./wire.ts";
import type { AgentSession, ShownPrompts, SlackChannel, SlackUser, StoredMessage, World } from "./world.ts";

/** A message of the bot as people see it. */
export interface SeenSlackMessage {
  readonly ts: string;
  readonly text: string;
  readonly threadTs: string | undefined;
  readonly edits: number;
  readonly isStreaming: boolean;
  readonly unfurls: boolean;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
}

export interface SlackSayOptions {
  /** The first message of the thread it is said in. */
  readonly thread?: string;
  readonly files?: readonly { readonly bytes: Uint8Array; readonly name?: string; readonly mimetype?: string }[];
  readonly mentionBot?: boolean;
  readonly subtype?: string;
  /** A message of another place that is passed on. */
  readonly forwards?: { readonly author: string; readonly text: string };
}

/** One channel or direct conversation, as the people in it use it. */
export class SlackPlace {
  readonly state: SlackChannel;
  readonly #world: World;
  readonly #deliveries: Deliveries;

  constructor(state: SlackChannel, world: World, deliveries: Deliveries) {
    this.state = state;
    this.#world = world;
    this.#deliveries = deliveries;
  }

  get id(): string {
    return this.state.id;
  }

  /** Returns the message's ts. Control characters in texts are written as people type them: `&`, `<` and `>` escaped. */
  say(user: SlackUser, text: string, options: SlackSayOptions = {}): string {
    this.state.members.add(user.id);
    const files = (options.files ?? []).map(({ bytes, name = "file.bin", mimetype = "application/octet-stream" }) =>
      this.#world.newFile(name, mimetype, bytes.byteLength, bytes),
    );
    const whole = options.mentionBot ? `<@${this.#world.bot.id}> ${text}` : text;
    const { thread: threadTs, subtype, forwards } = options;
    return this.#world.post(this.state, user, { text: whole, files, threadTs, subtype, forwards }).ts;
  }

  /**
   * Opens a new assistant thread and returns the ts of its first message, which Slack posts
   * (docs.slack.dev/reference/events/assistant_thread_started, `assistant_app_thread` among the subtypes of messages).
   */
  openAssistant(user: SlackUser): string {
    if (this.#world.hasAgentView) throw new Error("an app with an agent_view has no assistant threads");
    const { ts } = this.#world.post(this.state, user, { text: "New chat", subtype: "assistant_app_thread" });
    const context = { team_id: this.#world.teamId, enterprise_id: null };
    const assistant_thread = { user_id: user.id, context, channel_id: this.id, thread_ts: ts };
    const event = { type: "assistant_thread_started", assistant_thread, event_ts: this.#world.nextTs() };
    this.#deliveries.add("events_api", eventBody(this.#world, event));
    return ts;
  }

  /**
   * A person looks at another place beside the app's conversation (docs.slack.dev/reference/events/app_context_changed); of an earlier app
   * the assistant thread is needed (docs.slack.dev/reference/events/assistant_thread_context_changed).
   */
  look(user: SlackUser, at: string | undefined, thread = ""): Delivery {
    const { teamId: team_id, hasAgentView } = this.#world;
    const event_ts = this.#world.nextTs();
    if (!hasAgentView) {
      const context = { ...(at === undefined ? {} : { channel_id: at }), team_id, enterprise_id: null };
      const assistant_thread = { user_id: user.id, context, channel_id: this.id, thread_ts: thread };
      const event = { type: "assistant_thread_context_changed", assistant_thread, event_ts };
      return this.#deliveries.add("events_api", eventBody(this.#world, event));
    }
    const context = at === undefined ? {} : { entities: [{ type: "slack#/types/channel_id", value: at, team_id }] };
    this.#world.contexts.set(user.id, context);
    const event = { type: "app_context_changed", channel: this.id, user: user.id, context, event_ts };
    return this.#deliveries.add("events_api", eventBody(this.#world, event));
  }

  /** A person looks at the app's conversation (docs.slack.dev/reference/events/app_home_opened). */
  openHome(user: SlackUser, tab: "home" | "messages" = "messages"): Delivery {
    const event = { type: "app_home_opened", user: user.id, channel: this.id, tab, event_ts: this.#world.nextTs() };
    return this.#deliveries.add("events_api", eventBody(this.#world, event));
  }

  /**
   * A person presses the stop button of a thread, which is there while its session is `processing`
   * (docs.slack.dev/reference/events/agent_session_stopped). Streams end; the session stays as it is.
   */
  stop(user: SlackUser, thread: string): Delivery {
    if (this.session(thread)?.status !== "processing") throw new Error("there is nothing to stop in this thread");
    const streams = [...this.state.messages.values()].filter(
      ({ streaming, threadTs }) => streaming === "open" && threadTs === thread,
    );
    for (const stream of streams) stream.streaming = "stopped";
    const streaming_message_ts = streams.map(({ ts }) => ts);
    const place = { channel: this.id, thread_ts: thread };
    const event = { type: "agent_session_stopped", ...place, user: user.id, streaming_message_ts };
    return this.#deliveries.add("events_api", eventBody(this.#world, { ...event, event_ts: this.#world.nextTs() }));
  }

  /** A person gives a session another title (docs.slack.dev/reference/events/agent_session_title_changed). */
  retitle(user: SlackUser, thread: string, title: string): Delivery {
    const session = this.session(thread);
    if (session === undefined) throw new Error("there is no session in this thread");
    const before = session.title === "" ? {} : { previous_title: session.title };
    session.title = title;
    const place = { channel: this.id, thread_ts: thread };
    const event = { type: "agent_session_title_changed", ...place, user: user.id, ...before, title };
    return this.#deliveries.add("events_api", eventBody(this.#world, { ...event, event_ts: this.#world.nextTs() }));
  }

  session(thread: string): AgentSession | undefined {
    return this.#world.sessions.get(`${this.id}/${thread}`);
  }

  /** The title of an assistant thread. */
  title(thread: string): string | undefined {
    return this.#world.titles.get(`${this.id}/${thread}`);
  }

  /** What is suggested in an assistant thread; with the id of the place, above the messages of an app with an `agent_view`. */
  prompts(ts: string): ShownPrompts | undefined {
    return this.#world.prompts.get(ts);
  }

  edit(ts: string, text: string): void {
    this.#world.change(this.#message(ts), text);
  }

  removeFile(ts: string, name: string): void {
    this.#world.removeFile(this.#message(ts), name);
  }

  delete(ts: string): void {
    this.#world.remove(this.#message(ts));
  }

  react(user: SlackUser, ts: string, reaction: string): void {
    this.#world.react(this.#message(ts), user, reaction);
  }

  unreact(user: SlackUser, ts: string, reaction: string): void {
    this.#world.unreact(this.#message(ts), user, reaction);
  }

  /** The reactions of a message and who gave them. */
  reactions(ts: string): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#message(ts).reactions;
  }

  /** Slack hands over the same message once more. */
  redeliver(ts: string): void {
    const key = `${this.id}/${ts}`;
    const delivery = this.#deliveries.sent.find(({ messageKey }) => messageKey === key);
    if (delivery !== undefined) this.#deliveries.repeat(delivery);
  }

  /** The person who reads a growing message stops it. */
  stopStream(ts: string): void {
    this.#message(ts).streaming = "stopped";
  }

  command(user: SlackUser, command: string, text = ""): Delivery {
    this.state.members.add(user.id);
    return this.#deliveries.add("slash_commands", {
      token: "verification-token",
      team_id: this.#world.teamId,
      team_domain: "workshop",
      channel_id: this.id,
      channel_name: this.state.kind === "im" ? "directmessage" : this.state.name,
      user_id: user.id,
      user_name: user.name,
      command,
      text,
      api_app_id: this.#world.appId,
      is_enterprise_install: "false",
      response_url: `${this.#world.origin}/commands/${this.#world.teamId}`,
      trigger_id: `${this.#world.nextTs()}.${user.id}`,
    });
  }

  /** Presses a button of one of the bot's messages, or selects an option of a menu. */
  press(user: SlackUser, ts: string, buttonId: string): Delivery {
    const message = this.#message(ts);
    const button = buttonsOf(message).find(({ value, action_id }) => value === buttonId || action_id === buttonId);
    if (button === undefined) throw new Error(`nobody can press ${buttonId} on this message`);
    const { menu, value, text } = button;
    const pressed = menu === undefined ? button : { ...menu, selected_option: { value, text } };
    const { teamId, appId } = this.#world;
    return this.#deliveries.add("interactive", {
      type: "block_actions",
      user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
      api_app_id: appId,
      token: "verification-token",
      container: { type: "message", message_ts: ts, channel_id: this.id, is_ephemeral: false },
      trigger_id: `${this.#world.nextTs()}.${user.id}`,
      team: { id: teamId, domain: "workshop" },
      channel: { id: this.id, name: this.state.name },
      message: toWireMessage(message, this.#world),
      actions: [{ ...pressed, block_id: "b1", action_ts: this.#world.nextTs() }],
    });
  }

  /** The event of a message, changed as a test likes, from the same app. */
  forge(ts: string, change: object, outer: object = {}): Delivery {
    const event = { ...messageEvent(this.#message(ts), this.state, this.#world), ...change };
    return this.#deliveries.add("events_api", { ...eventBody(this.#world, event), ...outer });
  }

  /** The bot's messages, oldest first; deleted ones left out. */
  botMessages(): readonly SeenSlackMessage[] {
    const { bot } = this.#world;
    return [...this.state.messages.values()].filter(({ user, isDeleted }) => user === bot && !isDeleted).map(seen);
  }

  /** What the bot showed to one person alone, oldest first. */
  whispersTo(user: SlackUser): readonly string[] {
    const ours = this.#world.whispers.filter(({ channel, userId }) => channel === this.id && userId === user.id);
    return ours.map(({ text }) => text);
  }

  waitForBotMessage(test: string | RegExp, timeoutMs = 120_000): Promise<SeenSlackMessage> {
    return awaitMessage(() => this.botMessages(), test, timeoutMs);
  }

  #message(ts: string): StoredMessage {
    const message = this.state.messages.get(ts);
    if (message === undefined) throw new Error(`no message ${ts} in ${this.id}`);
    return message;
  }
}

/** Buttons, and what menus offer. */
function buttonsOf({ blocks }: StoredMessage): readonly Button[] {
  const elements = blocks.flatMap((block) => (block.type === "actions" ? (block.elements as Button[]) : []));
  return elements.flatMap(
    ({ options, ...element }) => options?.map((option) => ({ ...option, menu: element })) ?? [element],
  );
}

interface Button {
  readonly options?: readonly Button[];
  readonly menu?: object;
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text?: string };
}

function seen(message: StoredMessage): SeenSlackMessage {
  const { ts, text, threadTs, edits, unfurls, files } = message;
  return {
    ts,
    text,
    threadTs,
    edits,
    unfurls,
    isStreaming: message.streaming === "open",
    files: files.map(({ name, bytes }) => ({ name, bytes: new Uint8Array(bytes ?? []) })),
    buttons: buttonsOf(message).map((button) => ({ id: button.value ?? "", label: button.text?.text ?? "" })),
  };
}
