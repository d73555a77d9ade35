import type {
  Adapter,
  AdapterDeps,
  AdapterHost,
  Capabilities,
  ConversationCapabilities,
  ReplyTarget,
  ReplyView,
  WebhookRoute,
} from "@talaria/adapter";
import { Lanes, Lifecycle, type Opened } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Choice,
  type Conversation,
  GatewayError,
  instantOf,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { AgentSessions, type ThreadPlace } from "./agent-sessions.ts";
import { type Bolt, createBolt } from "./bolt.ts";
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { CatchUp } from "./catch-up.ts";
import { createSlackClient, type SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { type ConnectDeps, connect, hintFor } from "./connect.ts";
import { Cursors } from "./cursors.ts";
import { reactionName } from "./emoji.ts";
import { isRefusal } from "./errors.ts";
import { findShared, openFile, sendFiles } from "./files.ts";
import { findSent } from "./find-sent.ts";
import { measure } from "./format.ts";
import { httpRoute } from "./http-route.ts";
import { Intake } from "./intake.ts";
import { OpenStreams } from "./open-streams.ts";
import { checkedChannel, checkedTs, markOf, placeOf } from "./outbound.ts";
import { People } from "./people.ts";
import { Presses } from "./presses.ts";
import { sendPrivately } from "./private-message.ts";
import { Readers } from "./readers.ts";
import type { DurableReceiver } from "./receiver.ts";
import { Recorder } from "./recorder.ts";
import { withoutRefusedBlocks } from "./refused-blocks.ts";
import { hiddenView, StreamView } from "./stream-view.ts";
import { SuggestedPrompts } from "./suggested-prompts.ts";
import { Unreadable } from "./unreadable.ts";
import { Viewing } from "./viewing.ts";
import { read } from "./wire.ts";

/** One Slack app in one workspace. Does no I/O before `start`. */
export function createSlackAdapter(config: SlackConfig, deps: AdapterDeps): Adapter {
  return new SlackAdapter(config, deps);
}

/** What lives between a start and the next stop. */
interface Run extends Opened {
  readonly receiver: Pick<DurableReceiver, "take">;
}

/** What goes on from where earlier processes stopped. */
interface Loaded extends Pick<Bolt, "app"> {
  readonly cursors: Cursors;
  readonly parts: ConnectDeps;
}

class SlackAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "slack";
  readonly capabilities: Capabilities;
  readonly holding = "leased";
  readonly #config: SlackConfig;
  readonly #deps: AdapterDeps;
  readonly #client: SlackClient;
  readonly #readers = new Readers();
  readonly #streams: OpenStreams;
  readonly #people: People;
  readonly #prompts: SuggestedPrompts;
  readonly #sessions: AgentSessions;
  readonly #lifecycle: Lifecycle<Run>;
  #hasStreams = true;

  constructor(config: SlackConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
    const { log, proxy, store } = deps;
    this.#client = createSlackClient({ token: config.botToken, apiRoot: config.apiRoot, log, proxy });
    this.#streams = new OpenStreams(this.#client, store, log);
    this.#people = new People(this.#client, deps.clock);
    const said = { people: this.#people, wordsIn: deps.wordsIn };
    this.#prompts = new SuggestedPrompts({ accountId: deps.id, client: this.#client, log, ...said });
    const { agentView, status } = config;
    this.#sessions = new AgentSessions({ client: this.#client, clock: deps.clock, log, agentView, status });
    const open = (host: AdapterHost) => this.#open(host);
    this.#lifecycle = new Lifecycle({ id: deps.id, clock: deps.clock, hint: hintFor, open });
  }

  start(host: AdapterHost): Promise<void> {
    return this.#lifecycle.start(host);
  }

  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  reached(): void {
    this.#lifecycle.hurry();
  }

  routes(): readonly WebhookRoute[] {
    const { signingSecret } = this.#config;
    if (signingSecret === undefined) return [];
    return [httpRoute({ accountId: this.id, signingSecret, clock: this.#deps.clock, lifecycle: this.#lifecycle })];
  }

  capabilitiesFor(conversation: Conversation): ConversationCapabilities {
    const knowsReader = this.#readers.of(conversation) !== undefined;
    return capabilitiesIn(conversation, this.#config, this.#hasStreams, knowsReader);
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { privateTo } = message;
    if (privateTo !== undefined)
      return this.#sent(message, await sendPrivately({ ...message, privateTo }, this.#client, signal));
    if (message.attachments.length > 0) return this.#sent(message, await sendFiles(message, this.#files, signal));
    const where = { ...placeOf(message.conversation), metadata: markOf(message.deliveryKey) };
    const answer = withoutRefusedBlocks(message.markdown, message.choices, ({ blocks, ...content }) => {
      const args = { ...where, ...content, ...(blocks.length > 0 ? { blocks } : {}) };
      return this.#client.call("chat.postMessage", args, signal);
    });
    const posted = read.posted(await answer);
    if (posted === undefined)
      throw new GatewayError("slack accepted a message without returning its ts", { code: "unavailable" });
    return this.#sent(message, posted.ts);
  }

  async findSent(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage | undefined> {
    if (message.privateTo !== undefined) return undefined;
    const find =
      message.attachments.length > 0
        ? findShared(message, this.#files, signal)
        : findSent(this.#client, message, signal);
    const ts = await find;
    return ts === undefined ? undefined : this.#sent(message, ts);
  }

  async edit(ref: MessageRef, markdown: string, signal: AbortSignal, choices?: readonly Choice[]): Promise<void> {
    const where = addressOf(ref);
    await withoutRefusedBlocks(markdown, choices, (content) =>
      this.#client.call("chat.update", { ...where, ...content }, signal),
    );
  }

  async delete(ref: MessageRef, signal: AbortSignal): Promise<void> {
    await this.#client.call("chat.delete", addressOf(ref), signal);
  }

  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await this.#react("reactions.add", ref, emoji, "already_reacted", signal);
  }

  async unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await this.#react("reactions.remove", ref, emoji, "no_reaction", signal);
  }

  async setTyping(conversation: Conversation, signal: AbortSignal, doing?: string): Promise<void> {
    const place = placeOf(conversation);
    if (place.thread_ts === undefined)
      throw new GatewayError("slack shows a status only in threads", { code: "unsupported" });
    await this.#sessions.show(place, signal, doing);
  }

  async openReply(target: ReplyTarget): Promise<ReplyView> {
    const { conversation } = target;
    if (this.capabilitiesFor(conversation).view === undefined) return hiddenView((...args) => this.send(...args));
    return new StreamView(target, {
      client: this.#client,
      clock: this.#deps.clock,
      streams: this.#streams,
      reader: conversation.kind === "direct" ? undefined : this.#readers.of(conversation),
      send: (message, signal) => this.send(message, signal),
      began: () => this.#inThread(conversation, (place) => this.#sessions.streams(place)),
      ended: () => this.#inThread(conversation, (place) => this.#sessions.ended(place)),
      refused: () => {
        this.#hasStreams = false;
      },
    });
  }

  rename(conversation: Conversation, title: string): void {
    this.#inThread(conversation, (place) => this.#sessions.rename(place, title));
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile(this.#client, ref, signal);
  }

  #open(host: AdapterHost): Run {
    const { clock, log } = this.#deps;
    const lanes = new Lanes({ clock, log, seed: this.id });
    let loaded: Loaded | undefined;
    return {
      receiver: {
        take: (brought) => {
          if (loaded !== undefined) return loaded.parts.receiver.take(brought);
          const reason = "the account has not read its store yet";
          return Promise.reject(new GatewayError(reason, { code: "unavailable", effect: "none" }));
        },
      },
      // In the session, so that a database that is away is tried again like a connection that is lost.
      session: async (connected, signal) => {
        loaded ??= await this.#load(host, lanes);
        await connect(loaded.parts, connected, signal);
      },
      close: async () => {
        await loaded?.app.stop();
        await lanes.close();
        await this.#sessions.close();
        await loaded?.cursors.settle();
      },
    };
  }

  /** Reads what earlier processes left in the store, and makes the parts that go on from there. */
  async #load(host: AdapterHost, lanes: Lanes): Promise<Loaded> {
    const { clock, log, store, catchUpMs, wordsIn } = this.#deps;
    const { command, answerInThread, agentView, botToken } = this.#config;
    const client = this.#client;
    const cursors = await Cursors.load(store);
    const shared = { accountId: this.id, client, clock, log, cursors, lanes, sessions: this.#sessions };
    const unreadable = new Unreadable(this.#deps);
    const people = this.#people;
    const viewing = new Viewing();
    const readers = this.#readers;
    const recorder = new Recorder({ ...shared, host, people, readers, viewing, answerInThread, agentView });
    const commands = new Set(this.#deps.commands.map(({ name }) => name));
    const presses = new Presses({ ...shared, store, people, wordsIn });
    const prompts = this.#prompts;
    const intake = new Intake({ ...shared, recorder, unreadable, prompts, presses, viewing, commands, command });
    const catchUp = new CatchUp({ ...shared, recorder, catchUpMs });
    const names = [command, ...[...commands].map((name) => `/${name}`)];
    const { app, receiver } = createBolt({ botToken, client, log, unreadable, intake, commands: names });
    await app.start();
    const parts = { config: this.#config, client, clock, log, catchUp, receiver, streams: this.#streams };
    return { app, cursors, parts };
  }

  get #files() {
    const { media, store, clock } = this.#deps;
    return { client: this.#client, media, store, clock };
  }

  async #react(method: string, ref: MessageRef, emoji: string, done: string, signal: AbortSignal): Promise<void> {
    const name = reactionName(emoji);
    if (name === undefined) throw new GatewayError("slack has no such reaction", { code: "unsupported" });
    const { channel, ts: timestamp } = addressOf(ref);
    try {
      await this.#client.call(method, { channel, timestamp, name }, signal);
    } catch (error) {
      if (!isRefusal(error, done)) throw error;
    }
  }

  #inThread(conversation: Conversation, act: (place: ThreadPlace) => void): void {
    const place = placeOf(conversation);
    if (place.thread_ts !== undefined) act(place);
  }

  #sent({ conversation }: OutboundMessage, ts: string): SentMessage {
    this.#inThread(conversation, (place) => this.#sessions.answered(place));
    const milliseconds = Math.floor(Number(ts) * 1_000);
    const sentAt = instantOf(Number.isFinite(milliseconds) ? milliseconds : this.#deps.clock.now());
    return { conversation, messageId: brandAs<MessageId>(ts), sentAt };
  }
}

function addressOf({ conversation, messageId }: MessageRef) {
  return { channel: checkedChannel(conversation.conversationId), ts: checkedTs(messageId) };
}
