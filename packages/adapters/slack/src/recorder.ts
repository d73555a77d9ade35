import type { Acceptance, AdapterHost } from "@talaria/adapter";
import { type AccountId, type Clock, GatewayError, type InboundEvent } from "@talaria/protocol";
import type { AgentSessions } from "./agent-sessions.ts";
import type { Cursors } from "./cursors.ts";
import { answerPlace, isDirect, toCreated, type Viewpoint } from "./inbound.ts";
import { forwardedIn, wordsOf } from "./message-words.ts";
import { mentionsIn, unnamedChannelsIn } from "./mrkdwn.ts";
import type { People } from "./people.ts";
import type { Readers } from "./readers.ts";
import { ThreadHeads } from "./thread-heads.ts";
import type { Viewing } from "./viewing.ts";
import type { SlackSelf, SpokenEvent } from "./wire.ts";
import type { SlackMessage } from "./wire-content.ts";

export interface RecorderDeps {
  readonly accountId: AccountId;
  readonly host: AdapterHost;
  readonly clock: Clock;
  readonly people: People;
  readonly readers: Readers;
  readonly cursors: Cursors;
  readonly viewing: Viewing;
  readonly answerInThread: boolean;
  readonly agentView: boolean;
  readonly sessions: Pick<AgentSessions, "began" | "said">;
}

/** Something that happened in a channel: whose names it needs, and how it is converted once they are known. */
export interface Happening {
  readonly channel: string;
  readonly people: readonly string[];
  /** Channels that are mentioned without their names. */
  readonly channels?: readonly string[];
  readonly convert: (view: Viewpoint) => InboundEvent | undefined;
  /** The first message of the thread that it is in, or would begin. */
  readonly thread?: string;
  /** Shows whoever pressed a button why that was refused. */
  readonly tellRefused?: (words: string) => void;
}

/** Has the host record one event after the other, live or out of history. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #heads = new ThreadHeads();
  #self: SlackSelf | undefined;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Who we are in Slack, as the connection was told. */
  become(self: SlackSelf): void {
    this.#self = self;
  }

  /** Who we are in Slack. Throws before the first connection. */
  self(): SlackSelf {
    if (this.#self !== undefined) return this.#self;
    throw new GatewayError("nothing is taken before the first connection", { code: "unavailable", effect: "none" });
  }

  /** Resolves when the host has it, or nobody needs it: with what became of it, where it was something for the host. */
  async record(
    { channel, people, channels = [], convert, thread, tellRefused }: Happening,
    signal: AbortSignal,
  ): Promise<Acceptance | undefined> {
    const { host, accountId, clock, answerInThread, agentView } = this.#deps;
    const self = this.self();
    const others = people.filter((id) => id !== self.user_id);
    const [named, titles, title] = await Promise.all([
      this.#deps.people.of(others, signal),
      this.#deps.people.titlesOf(channels, signal),
      isDirect(channel) ? undefined : this.#deps.people.titleOf(channel, signal),
    ]);
    if (signal.aborted) throw signal.reason;
    const known = { people: named, channels: titles };
    const view = { accountId, self, known, title, receivedAt: clock.now(), answerInThread, agentView };
    const event = convert(view);
    return event && host.accept(event, { ...answerPlace(event, thread, view), ...(tellRefused && { tellRefused }) });
  }

  /** The same for a new message, after which the cursor of the place where it was read moves. */
  async recordMessage(message: SpokenEvent, place: string, signal: AbortSignal): Promise<void> {
    const { channel, ts } = message;
    let event: InboundEvent | undefined;
    const convert = (view: Viewpoint) => {
      const said = this.#heads.quoting(this.#noted(toCreated(message, channel, view), message), message);
      event = this.#deps.viewing.beside(said, message, view.self.team_id);
      return event;
    };
    const thread = message.thread_ts ?? ts;
    await this.record({ channel, ...namesIn(message), convert, thread }, signal);
    if (event !== undefined) this.#heads.note(event, message);
    this.#deps.cursors.move(place, ts);
  }

  /** Who wrote last in a thread is whom a stream there is written for; the first words of one are its title. */
  #noted(event: InboundEvent | undefined, { user, team, ts, thread_ts }: SlackMessage): InboundEvent | undefined {
    if (event?.type !== "message.created" || event.sender.role !== "person" || user === undefined) return event;
    const { conversation, message } = event;
    const { sessions } = this.#deps;
    const place = { channel: conversation.conversationId, thread_ts: thread_ts ?? ts };
    if (place.thread_ts === ts) sessions.began(place, { userId: user, words: message.markdown });
    else sessions.said(place, message.markdown);
    this.#deps.readers.note(event.conversation, { userId: user, teamId: team ?? this.#self?.team_id ?? "" });
    return event;
  }
}

/** Whom and what a message names: its writer first, those last who are named in what it forwards. */
export function namesIn(message: SlackMessage | undefined): Pick<Happening, "people" | "channels"> {
  if (message === undefined) return { people: [] };
  const forwarded = forwardedIn(message);
  const authors = forwarded.flatMap(({ attachment }) => attachment.author_id ?? []);
  const writer = message.user === undefined ? [] : [message.user];
  const texts = [wordsOf(message), ...forwarded.map(({ words }) => words)];
  return { people: [...writer, ...authors, ...texts.flatMap(mentionsIn)], channels: texts.flatMap(unnamedChannelsIn) };
}
