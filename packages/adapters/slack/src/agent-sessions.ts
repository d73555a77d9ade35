import { BoundedMap, RunningAccepts } from "@talaria/adapter-kit";
import { type Clock, type ErrorCode, GatewayError, type Log } from "@talaria/protocol";
import { statusLastsMs } from "./capabilities.ts";
import type { SlackClient } from "./client.ts";
import { isRefusal } from "./errors.ts";
import { isDirect } from "./inbound.ts";

export interface AgentSessionsDeps {
  readonly client: Pick<SlackClient, "call">;
  readonly clock: Clock;
  readonly log: Log;
  /** The app's manifest has an `agent_view`. */
  readonly agentView: boolean;
  /** What apps without one show below a thread. */
  readonly status: string;
}

/** A thread, as Slack's methods name it. */
export interface ThreadPlace {
  readonly channel: string;
  readonly thread_ts: string;
}

/** Who began a thread, and with which words. */
export interface Beginning {
  readonly userId: string;
  readonly words: string;
}

const keptBeginnings = 2_000;
/** Slack takes 200 characters; a list of conversations shows fewer. */
const longestTitle = 80;
const longestStatus = 100;
/** A session that is shown is not shown again before. */
const renewedAfterMs = statusLastsMs / 2;
/** A status that nobody has renewed for so long is over: it would stay for an hour. */
const forgottenAfterMs = statusLastsMs + 10_000;

/**
 * What Slack shows of an answer that is being made. Apps with an `agent_view` have sessions, one to a thread, with a title and a button that
 * stops them; a message does not end their status, so that we do (docs.slack.dev/ai/agent-sessions). Older apps have a line of text,
 * which a message ends (docs.slack.dev/reference/methods/assistant.threads.setStatus).
 */
export class AgentSessions {
  readonly #deps: AgentSessionsDeps;
  readonly #beginnings = new BoundedMap<string, Beginning>(keptBeginnings);
  /** Assistant threads in which nobody has written yet. */
  readonly #untitled = new BoundedMap<string, true>(keptBeginnings);
  /** Sessions that are shown as working, each with what ends its time. */
  readonly #working = new Map<string, { readonly over: AbortController; readonly renewAt: number }>();
  readonly #background = new RunningAccepts();
  #closing = new AbortController();
  #hasSessions: boolean;

  constructor(deps: AgentSessionsDeps) {
    this.#deps = deps;
    this.#hasSessions = deps.agentView;
  }

  /** Somebody began a thread: what its session will be called. Slack reads it only when the session is made. */
  began(place: ThreadPlace, beginning: Beginning): void {
    this.#beginnings.set(keyOf(place), beginning);
  }

  /**
   * Shows that an answer is being made, and what is done for it. Throws what the call throws. A session has no words of its own; the status
   * line has, also where there are sessions.
   */
  async show(place: ThreadPlace, signal: AbortSignal, doing?: string): Promise<void> {
    const { client, log, status } = this.#deps;
    const line = (text: string) => client.call("assistant.threads.setStatus", { ...thread, status: text }, signal);
    const thread = { channel_id: place.channel, thread_ts: place.thread_ts };
    if (!(await this.#showSession(place, signal))) await line(doing === undefined ? status : statusOf(doing));
    else if (doing !== undefined)
      await line(statusOf(doing)).catch((error: unknown) => log.debug({ error }, "what is done was not shown"));
  }

  /** False: the app has no sessions. One that is shown already is not shown again for a while, however often its words change. */
  async #showSession(place: ThreadPlace, signal: AbortSignal): Promise<boolean> {
    const { client, clock, log } = this.#deps;
    if (!this.#hasSessions) return false;
    const shown = this.#working.get(keyOf(place));
    if (shown !== undefined && clock.elapsed() < shown.renewAt) return true;
    try {
      const thread = { channel_id: place.channel, thread_ts: place.thread_ts };
      await client.call(
        "agents.sessions.setStatus",
        { ...thread, status: "processing", ...this.#facts(place) },
        signal,
      );
      this.#beginnings.delete(keyOf(place));
      this.#forgetLater(place);
      return true;
    } catch (error) {
      if (!isAboutApp(error)) throw error;
      this.#hasSessions = false;
      log.warn({ error }, "slack refuses agent sessions: give the app an agent_view, or set agentView: false");
      return false;
    }
  }

  /** A message of ours stands in the thread: nothing is being made there, as far as we know. Returns at once. */
  answered(place: ThreadPlace): void {
    if (this.#working.has(keyOf(place))) this.settle(place);
  }

  /** A stream has begun: where nothing was shown before, it has made the session, without a title. Returns at once. */
  streams(place: ThreadPlace): void {
    const { title } = this.#facts(place);
    if (!this.#hasSessions || title === undefined) return;
    this.#beginnings.delete(keyOf(place));
    this.#call("agents.sessions.rename", place, { title });
  }

  /** A person opened an assistant thread of an earlier app, which has no title before they write. */
  opened(place: ThreadPlace): void {
    this.#untitled.set(keyOf(place), true);
  }

  /** A person wrote in a thread: in an assistant thread, its first words are its title. Returns at once. */
  said(place: ThreadPlace, words: string): void {
    const title = titleOf(words);
    if (title === "" || !this.#untitled.delete(keyOf(place)) || this.#hasSessions) return;
    this.#call("assistant.threads.setTitle", place, { title });
  }

  /**
   * A person has named the conversation that is written in here. A thread that has no session yet gets one with this title. Earlier apps
   * have titles in assistant threads only (docs.slack.dev/reference/methods/assistant.threads.setTitle). Returns at once.
   */
  rename(place: ThreadPlace, title: string): void {
    this.#beginnings.delete(keyOf(place));
    this.#untitled.delete(keyOf(place));
    if (!this.#hasSessions) {
      if (isDirect(place.channel)) this.#call("assistant.threads.setTitle", place, { title });
      return;
    }
    this.#call("agents.sessions.rename", place, { title }, (error) => {
      if (isRefusal(error, "session_not_found"))
        this.#call("agents.sessions.setStatus", place, { status: "active", title });
    });
  }

  /** The end of a stream has ended the status. */
  ended(place: ThreadPlace): void {
    this.#working.get(keyOf(place))?.over.abort();
    this.#working.delete(keyOf(place));
  }

  /** Ends the status, whoever began it. Returns at once. */
  settle(place: ThreadPlace): void {
    this.ended(place);
    if (!this.#hasSessions) return;
    this.#call("agents.sessions.setStatus", place, { status: "active" });
  }

  /** Begins nothing more and resolves when nothing runs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#background.idle();
    this.#working.clear();
    this.#closing = new AbortController();
  }

  #call(method: string, { channel, thread_ts }: ThreadPlace, facts: object, refused?: (error: unknown) => void): void {
    const { client, log } = this.#deps;
    const call = client.call(method, { channel_id: channel, thread_ts, ...facts }, this.#closing.signal);
    void this.#background.track(
      call.catch((error: unknown) => {
        log.debug({ error, method }, "what slack shows of a session was not changed");
        refused?.(error);
      }),
    );
  }

  #facts(place: ThreadPlace): { readonly initiator_user_id?: string; readonly title?: string } {
    const beginning = this.#beginnings.get(keyOf(place));
    if (beginning === undefined) return {};
    const title = titleOf(beginning.words);
    return { initiator_user_id: beginning.userId, ...(title === "" ? {} : { title }) };
  }

  #forgetLater(place: ThreadPlace): void {
    this.ended(place);
    const over = new AbortController();
    this.#working.set(keyOf(place), { over, renewAt: this.#deps.clock.elapsed() + renewedAfterMs });
    const waiting = AbortSignal.any([over.signal, this.#closing.signal]);
    const wait = this.#deps.clock.sleep(forgottenAfterMs, waiting).then(
      () => this.answered(place),
      () => undefined,
    );
    void this.#background.track(wait);
  }
}

/** Slack puts the app's name before it. */
function statusOf(doing: string): string {
  const words = doing.replaceAll(/\s+/g, " ").trim().slice(0, longestStatus).toWellFormed();
  return /^[a-z]+ing\b/.test(words) ? `is ${words}...` : words;
}

function titleOf(words: string): string {
  return words.replaceAll(/\s+/g, " ").trim().slice(0, longestTitle).toWellFormed();
}

/** Refusals that name this thread or this moment. No document says what an app without sessions is told. */
const ofThisPlace: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "not_found",
  "unavailable",
  "unauthorized",
  "unsupported",
]);

function isAboutApp(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.details.error === undefined) return false;
  return !ofThisPlace.has(error.code) && !isRefusal(error, "invalid_thread_ts", "not_in_channel", "is_archived");
}

function keyOf({ channel, thread_ts }: ThreadPlace): string {
  return `${channel}/${thread_ts}`;
}
