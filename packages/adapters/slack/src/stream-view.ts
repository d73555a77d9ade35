import type { ReplyTarget, ReplyView } from "@talaria/adapter";
import {
  brandAs,
  type Clock,
  type GatewayError,
  instantOf,
  isGatewayError,
  type MessageId,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { maxTextLength } from "./capabilities.ts";
import type { SlackClient } from "./client.ts";
import { isRefusal } from "./errors.ts";
import { toActions, toText } from "./format.ts";
import { weightOf } from "./message-size.ts";
import type { OpenStreams } from "./open-streams.ts";
import { checkedText, markOf, placeOf } from "./outbound.ts";
import type { Reader } from "./readers.ts";
import { isContentRefused, withoutRefusedBlocks } from "./refused-blocks.ts";
import { read } from "./wire.ts";

export interface StreamDeps {
  readonly client: SlackClient;
  readonly clock: Clock;
  readonly streams: OpenStreams;
  /** For whom it is written; direct conversations need nobody. */
  readonly reader: Reader | undefined;
  readonly send: (message: OutboundMessage, signal: AbortSignal) => Promise<SentMessage>;
  /** A stream has begun. */
  readonly began: () => void;
  /** A stream has ended, and with it the status of its thread. */
  readonly ended: () => void;
  /** Slack has no streams here. */
  readonly refused: () => void;
}

/** Where Slack has no streams: only the final text is shown. */
export function hiddenView(send: StreamDeps["send"]): ReplyView {
  return { update: async () => undefined, finish: send, discard: async () => undefined };
}

/** The line that closes a block of code; it may come again further down. */
const closingFence = /\n[ \t>]*(?:`{3,}|~{3,})[ \t]*$/;

/** Between two digits they are no marks: the next letter tells. */
const signsBehindDigit = /(?<=\d)[*~]+$/;
/** What a preview shows before it has words; an appended sign would stay. */
const nothingYet = "…";

/**
 * A message that Slack shows as it grows. Calls come one after another: text that is appended twice, or by two streams,
 * would be seen. What was appended cannot be taken back, so a final text that does not continue it replaces it.
 */
export class StreamView implements ReplyView {
  readonly #deps: StreamDeps;
  readonly #target: ReplyTarget;
  #ts: string | undefined;
  #shown = "";
  /** Whether `#shown` may not be what people see. */
  #isUncertain = false;
  #isOver = false;
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(target: ReplyTarget, deps: StreamDeps) {
    this.#target = target;
    this.#deps = deps;
  }

  update(markdown: string, signal: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#append(markdown, signal));
  }

  async finish(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    this.#isOver = true;
    return this.#inTurn(async () => {
      const ts = this.#ts;
      if (ts === undefined) return this.#deps.send(message, signal);
      if (message.attachments.length > 0) {
        await this.#remove(ts, signal);
        return this.#deps.send(message, signal);
      }
      await this.#complete(ts, message, signal);
      await this.#deps.streams.closed(ts);
      this.#deps.ended();
      const sentAt = instantOf(this.#deps.clock.now());
      return { conversation: message.conversation, messageId: brandAs<MessageId>(ts), sentAt };
    });
  }

  async discard(signal: AbortSignal): Promise<void> {
    this.#isOver = true;
    await this.#inTurn(async () => {
      if (this.#ts !== undefined) await this.#remove(this.#ts, signal);
    }).catch(() => undefined);
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#lastCall.then(act);
    this.#lastCall = done.catch(() => undefined);
    return done;
  }

  async #append(markdown: string, signal: AbortSignal): Promise<void> {
    if (this.#isOver || this.#isUncertain) return;
    if (markdown === nothingYet) return;
    const text = toText(markdown.replace(closingFence, "").replace(signsBehindDigit, ""));
    if (!text.startsWith(this.#shown) || text.length > maxTextLength) return;
    const piece = text.slice(this.#shown.length);
    if (piece.trim() === "") return;
    try {
      if (this.#ts === undefined) await this.#begin(piece, signal);
      else
        await this.#deps.client.call("chat.appendStream", { ...this.#place(this.#ts), markdown_text: piece }, signal);
      this.#shown = text;
    } catch (error) {
      this.#isUncertain = this.#ts !== undefined && !isGatewayError(error, "rate_limited");
      throw error;
    }
  }

  async #begin(piece: string, signal: AbortSignal): Promise<void> {
    const { client, reader, streams, refused } = this.#deps;
    const recipient =
      reader === undefined ? {} : { recipient_user_id: reader.userId, recipient_team_id: reader.teamId };
    const args = { ...placeOf(this.#target.conversation), ...recipient, markdown_text: piece };
    try {
      this.#ts = read.posted(await client.call("chat.startStream", args, signal))?.ts;
    } catch (error) {
      if (isGatewayError(error) && error.effect === "none" && isAboutStreams(error)) refused();
      // A stream that may have begun is not begun again.
      if (isGatewayError(error) && error.effect === "unknown") this.#isOver = true;
      throw error;
    }
    if (this.#ts === undefined) return;
    this.#deps.began();
    await streams.opened(this.#place(this.#ts).channel, this.#ts);
  }

  /** Writes what is missing and ends the stream; where that is not possible, ends it and replaces the whole text. */
  async #complete(ts: string, message: OutboundMessage, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const text = checkedText(message.markdown);
    const metadata = markOf(message.deliveryKey);
    const buttons = message.choices?.length ? { blocks: toActions(message.choices, weightOf(text)) } : {};
    const continues = !this.#isUncertain && text.startsWith(this.#shown);
    const rest = continues ? text.slice(this.#shown.length) : "";
    const last = rest === "" ? {} : { markdown_text: rest };
    try {
      await client.call("chat.stopStream", { ...this.#place(ts), ...last, ...buttons, metadata }, signal);
      if (continues) return;
    } catch (error) {
      if (!isGatewayError(error) || error.effect !== "none" || error.code === "rate_limited") throw error;
      // Refused for what it says, a stream is still open; one that cannot be ended any more may still be changed.
      if (isContentRefused(error)) await client.call("chat.stopStream", this.#place(ts), signal).catch(() => undefined);
    }
    await withoutRefusedBlocks(message.markdown, message.choices, (content) =>
      client.call("chat.update", { ...this.#place(ts), ...content, metadata }, signal),
    );
  }

  async #remove(ts: string, signal: AbortSignal): Promise<void> {
    await this.#deps.streams.remove(this.#place(ts).channel, ts, signal);
    this.#deps.ended();
  }

  #place(ts: string) {
    return { channel: placeOf(this.#target.conversation).channel, ts };
  }
}

/** Whether a refusal would meet every stream: it is neither about this text nor about this place. */
function isAboutStreams(error: GatewayError): boolean {
  if (error.code === "rate_limited" || error.code === "not_found" || isContentRefused(error)) return false;
  return !isRefusal(error, "invalid_thread_ts", "not_in_channel", "is_archived");
}
