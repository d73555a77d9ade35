import type { Adapter, AdapterDeps, AdapterHost, Capabilities } from "@talaria/adapter";
import { BoundedMap, Lanes, Lifecycle, noteUnreadable, type Opened } from "@talaria/adapter-kit";
import {
  type AccountId,
  brandAs,
  type Choice,
  type Conversation,
  type ErrorCode,
  GatewayError,
  instantOf,
  isGatewayError,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { capabilitiesOf } from "./capabilities.ts";
import { CatchUp } from "./catch-up.ts";
import { createDiscordClient, type DiscordClient, type DiscordRequest } from "./client.ts";
import { CommandMenu } from "./commands.ts";
import type { DiscordConfig } from "./config.ts";
import { Cursors } from "./cursors.ts";
import { measure } from "./format.ts";
import { Intake } from "./intake.ts";
import { Interactions } from "./interactions.ts";
import { MentionThreads } from "./mention-threads.ts";
import { type OpenAnswer, OpenAnswers } from "./open-answers.ts";
import { openFile } from "./open-file.ts";
import { addressOf, channelIdOf, checkedId, contentBody, isReply, toContent } from "./outbound.ts";
import { OwnRoles } from "./own-roles.ts";
import { Places } from "./places.ts";
import { readFiles } from "./read-files.ts";
import { Recorder } from "./recorder.ts";
import { runSession, type SessionDeps } from "./session.ts";
import { SessionStarts } from "./session-starts.ts";
import { ThreadStarts } from "./thread-starts.ts";
import { read } from "./wire.ts";

/** One Discord bot. Does no I/O before `start`. */
export function createDiscordAdapter(config: DiscordConfig, deps: AdapterDeps): Adapter {
  return new DiscordAdapter(config, deps);
}

/** What lives between a start and the next stop. */
interface Run extends Opened {
  /** Throws `unavailable` until the store was read: a message sent earlier could miss the command it answers. */
  readonly answers: OpenAnswers;
  session(connected: () => void, signal: AbortSignal): Promise<void>;
}

/** What goes on from where earlier processes stopped. */
interface Loaded {
  readonly answers: OpenAnswers;
  readonly session: SessionDeps;
}

class DiscordAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "discord";
  readonly capabilities: Capabilities;
  readonly holding = "leased";
  readonly #config: DiscordConfig;
  readonly #deps: AdapterDeps;
  readonly #client: DiscordClient;
  readonly #starts: SessionStarts;
  /** Messages of ours that answer one, as long as they may still grow. */
  readonly #replies = new BoundedMap<string, true>(1_000);
  readonly #lifecycle: Lifecycle<Run>;

  constructor(config: DiscordConfig, deps: AdapterDeps) {
    this.id = deps.id;
    this.capabilities = capabilitiesOf(config);
    this.#config = config;
    this.#deps = deps;
    this.#client = createDiscordClient({ token: config.token, apiRoot: config.apiRoot, proxy: deps.proxy });
    this.#starts = new SessionStarts(deps.clock);
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

  measure(markdown: string): number {
    return measure(markdown);
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const channelId = channelIdOf(message.conversation);
    const content = toContent(message.markdown);
    if (content === "" && message.attachments.length === 0)
      throw new GatewayError("a message needs text or a file", { code: "invalid_request" });
    const common = contentBody(content, message.choices, isReply(message));
    const files = await readFiles(this.#deps.media, message.attachments, signal);
    const described = files.map(({ name }, id) => ({ id, filename: name }));
    const parts = files.length > 0 ? { described: { attachments: described }, uploads: { files } } : {};
    const open = await this.#lifecycle.running?.answers.claim(message, channelId);
    const answered = open && (await this.#answer(open, { ...common, ...parts.described }, parts.uploads, signal));
    const body = { ...common, ...addressOf(message), ...parts.described };
    const path = `/channels/${channelId}/messages` as const;
    const request = { method: "POST", path, body, ...parts.uploads } as const;
    const sent = read.sent(answered ?? (await this.#client.call(request, signal)));
    if (sent === undefined)
      throw new GatewayError("discord accepted a message without returning its id", { code: "unavailable" });
    if (isReply(message)) this.#replies.set(sent.id, true);
    const sentAt = Date.parse(sent.timestamp ?? "");
    return {
      conversation: message.conversation,
      messageId: brandAs<MessageId>(sent.id),
      sentAt: instantOf(Number.isFinite(sentAt) ? sentAt : this.#deps.clock.now()),
    };
  }

  #open(host: AdapterHost): Run {
    const { id, clock, log, proxy } = this.#deps;
    if (proxy) log.warn({}, "the proxy serves discord's REST API; its gateway is reached directly");
    const client = this.#client;
    const lanes = new Lanes({ clock, log, seed: id });
    let loaded: Loaded | undefined;
    return {
      get answers() {
        if (loaded !== undefined) return loaded.answers;
        throw new GatewayError("the account has not read its store yet", { code: "unavailable", effect: "none" });
      },
      // In the session, so that a database that is away is tried again like a connection that is lost.
      session: async (connected, signal) => {
        loaded ??= await this.#load(host, lanes);
        await runSession(loaded.session, connected, signal);
      },
      close: async () => {
        await lanes.close();
        await client.close();
      },
    };
  }

  /** Reads what earlier processes left in the store, and makes the parts that go on from there. */
  async #load(host: AdapterHost, lanes: Lanes): Promise<Loaded> {
    const { id, clock, log, store, commands, catchUpMs, wordsIn } = this.#deps;
    const client = this.#client;
    const cursors = await Cursors.load(store, clock.now());
    const answers = await OpenAnswers.load(store, clock);
    const places = new Places(id, client);
    const shared = { host, client, clock, log, lanes, cursors, places, ownRoles: new OwnRoles(client) };
    const { threadPerMention } = this.#config;
    const threads = new MentionThreads({ ...shared, threadPerMention });
    const recorder = new Recorder({ ...shared, threads, starts: new ThreadStarts(shared) });
    const catchUp = new CatchUp({ ...shared, recorder, catchUpMs });
    const interactions = new Interactions({ ...shared, store, recorder, answers, wordsIn });
    const menu = new CommandMenu({ ...shared, store, commands });
    const unreadable = (kind: string) => noteUnreadable(this.#deps, kind, { accountId: id });
    const intake = new Intake({ ...shared, recorder, catchUp, interactions, menu, unreadable });
    return { answers, session: { ...shared, config: this.#config, starts: this.#starts, intake } };
  }

  /** Puts a message where Discord shows a command as "thinking". Undefined when the time for that is over. */
  async #answer(open: OpenAnswer, body: object, uploads: Pick<DiscordRequest, "files"> = {}, signal: AbortSignal) {
    const path = `/webhooks/${open.applicationId}/${open.token}/messages/@original` as const;
    try {
      return await this.#client.call({ method: "PATCH", path, body, isTokenless: true, ...uploads }, signal);
    } catch (error) {
      if (isGatewayError(error, "not_found")) return undefined;
      throw error;
    }
  }

  async edit(ref: MessageRef, markdown: string, signal: AbortSignal, choices?: readonly Choice[]): Promise<void> {
    const body = contentBody(toContent(markdown), choices, this.#replies.has(ref.messageId));
    await this.#client.call({ method: "PATCH", path: pathOf(ref), body }, signal);
  }

  async delete(ref: MessageRef, signal: AbortSignal): Promise<void> {
    await this.#client.call({ method: "DELETE", path: pathOf(ref) }, signal);
  }

  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    await this.#client.call({ method: "PUT", path: ownReaction(ref, emoji) }, signal);
  }

  async unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.call({ method: "DELETE", path: ownReaction(ref, emoji) }, signal);
    } catch (error) {
      // Discord knows no such reaction: so there is none.
      if (!isGatewayError(error, "unsupported")) throw error;
    }
  }

  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    await this.#client.call({ method: "POST", path: `/channels/${channelIdOf(conversation)}/typing` }, signal);
  }

  openMedia(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return openFile(this.#client, ref, signal);
  }
}

/** The message that a thread is below is not in it. */
function pathOf({ conversation, messageId }: MessageRef) {
  const { conversationId, threadId } = conversation;
  const channelId = (messageId as string) === threadId ? checkedId(conversationId) : channelIdOf(conversation);
  return `/channels/${channelId}/messages/${checkedId(messageId)}` as const;
}

function ownReaction(ref: MessageRef, emoji: string) {
  return `${pathOf(ref)}/reactions/${encodeURIComponent(emoji)}/@me` as const;
}

/** What an operator should do about an error that retrying cannot fix. */
function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "Discord refuses the bot token. Reset it on the Bot page of the Developer Portal and set it as `token`.";
  if (code === "forbidden")
    return "Discord refuses the Message Content intent. Switch it on on the Bot page of the Developer Portal, or set `messageContent: false`.";
  return "Discord refuses the connection. A bot in very many servers needs sharding, which is not supported.";
}
