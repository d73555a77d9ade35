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
import { type Connection, keepConnected, Lanes } from "@talaria/adapter-kit";
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
import { type Bolt, createBolt } from "./bolt.ts";
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { createSlackClient, type SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { connect, hintFor } from "./connect.ts";
import { Cursors } from "./cursors.ts";
import { reactionName } from "./emoji.ts";
import { isRefusal } from "./errors.ts";
import { findShared, openFile, sendFiles } from "./files.ts";
import { findSent } from "./find-sent.ts";
import { measure } from "./format.ts";
import { httpRoute, type RouteDeps } from "./http-route.ts";
import { Intake } from "./intake.ts";
import { OpenStreams } from "./open-streams.ts";
import { checkedChannel, checkedTs, contentOf, messageArgs, placeOf } from "./outbound.ts";
import { People } from "./people.ts";
import { Readers } from "./readers.ts";
import { hiddenView, StreamView } from "./stream-view.ts";
import { read } from "./wire.ts";

/** One Slack app in one workspace. Does no I/O before `start`. */
export function createSlackAdapter(config: SlackConfig, deps: AdapterDeps): Adapter {
  return new SlackAdapter(config, deps);
}

/** What `start` began and `stop` ends. */
interface Running {
  readonly host: AdapterHost;
  readonly stopping: AbortController;
  readonly connection: Connection;
  readonly bolt: Bolt;
  readonly lanes: Lanes;
  readonly cursors: Cursors;
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
  #hasStreams = true;
  #running: Running | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(config: SlackConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
    const { log, proxy, store } = deps;
    this.#client = createSlackClient({ token: config.botToken, apiRoot: config.apiRoot, log, proxy });
    this.#streams = new OpenStreams(this.#client, store, log);
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#stopped;
    const { clock, log, store, catchUpMs } = this.#deps;
    const { command, answerInThread } = this.#config;
    const stopping = new AbortController();
    const client = this.#client;
    const lanes = new Lanes({ clock, log, seed: this.id });
    const people = new People(client, clock);
    const cursors = await Cursors.load(store);
    const commands = new Set(this.#deps.commands.map(({ name }) => name));
    const shared = { accountId: this.id, host, client, clock, log, lanes, people, cursors };
    const intake = new Intake({ ...shared, readers: this.#readers, commands, command, answerInThread, catchUpMs });
    const names = [command, ...[...commands].map((name) => `/${name}`)];
    const bolt = createBolt({ botToken: this.#config.botToken, client, log, intake, commands: names });
    await bolt.app.start();
    const streams = this.#streams;
    const { receiver } = bolt;
    const connection = keepConnected(
      {
        session: (connected, signal) =>
          connect({ config: this.#config, client, clock, log, intake, receiver, streams }, connected, signal),
        report: (state) => host.report(state),
        clock,
        seed: this.id,
        hint: hintFor,
      },
      stopping.signal,
    );
    this.#running = { host, stopping, connection, bolt, lanes, cursors };
    await connection.opened;
  }

  stop(): Promise<void> {
    if (this.#running !== undefined) this.#stopped = this.#end(this.#running);
    this.#running = undefined;
    return this.#stopped;
  }

  async #end({ host, stopping, connection, bolt, lanes, cursors }: Running): Promise<void> {
    stopping.abort();
    await bolt.app.stop();
    await Promise.all([connection.closed, lanes.close()]);
    await cursors.settle();
    host.report({ status: "stopped" });
  }

  routes(): readonly WebhookRoute[] {
    const { signingSecret } = this.#config;
    if (signingSecret === undefined) return [];
    const take: RouteDeps["take"] = async (brought) => {
      if (this.#running === undefined) throw new GatewayError("the account is not connected", { code: "unavailable" });
      return this.#running.bolt.receiver.take(brought);
    };
    return [httpRoute({ accountId: this.id, signingSecret, clock: this.#deps.clock, take })];
  }

  capabilitiesFor(conversation: Conversation): ConversationCapabilities {
    const knowsReader = this.#readers.of(conversation) !== undefined;
    return capabilitiesIn(conversation, this.#config, this.#hasStreams, knowsReader);
  }

  measure(markdown: string): number {
    return measure(markdown);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    if (message.attachments.length > 0) return this.#sent(message, await sendFiles(message, this.#files, signal));
    const answer = await this.#client.call("chat.postMessage", messageArgs(message), signal);
    const posted = read.posted(answer);
    if (posted === undefined) throw new GatewayError("slack answered a message oddly", { code: "unavailable" });
    return this.#sent(message, posted.ts);
  }

  async findSent(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage | undefined> {
    const find =
      message.attachments.length > 0
        ? findShared(message, this.#files, signal)
        : findSent(this.#client, message, signal);
    const ts = await find;
    return ts === undefined ? undefined : this.#sent(message, ts);
  }

  async edit(ref: MessageRef, markdown: string, signal: AbortSignal, choices?: readonly Choice[]): Promise<void> {
    await this.#client.call("chat.update", { ...addressOf(ref), ...contentOf(markdown, choices) }, signal);
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

  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { channel, ...thread } = placeOf(conversation);
    if (!("thread_ts" in thread))
      throw new GatewayError("slack shows a status only in threads", { code: "unsupported" });
    const args = { channel_id: channel, thread_ts: thread.thread_ts, status: this.#config.status };
    await this.#client.call("assistant.threads.setStatus", args, signal);
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
      refused: () => {
        this.#hasStreams = false;
      },
    });
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile(this.#client, ref, signal);
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

  #sent({ conversation }: OutboundMessage, ts: string): SentMessage {
    const milliseconds = Math.floor(Number(ts) * 1_000);
    const sentAt = instantOf(Number.isFinite(milliseconds) ? milliseconds : this.#deps.clock.now());
    return { conversation, messageId: brandAs<MessageId>(ts), sentAt };
  }
}

function addressOf({ conversation, messageId }: MessageRef) {
  return { channel: checkedChannel(conversation.conversationId), ts: checkedTs(messageId) };
}
