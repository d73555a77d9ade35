import { BoundedMap } from "@talaria/adapter-kit";
import {
  brandAs,
  type Choice,
  type Clock,
  type Conversation,
  GatewayError,
  instantOf,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";
import { keyboardArgs } from "./choices.ts";
import { formatted, isRefused } from "./formatted.ts";
import { guestQueryOf } from "./guest-query.ts";
import { toMessageId } from "./message-id.ts";
import { captionArgs, textArgs, toCaption, toText } from "./outbound.ts";
import { OwnReactions, toReaction } from "./reactions.ts";
import { type SendDeps, sendOne } from "./send.ts";

/** Calls into foreign chats that were answered, and are not answered again. */
const keptQueries = 5_000;

export interface MessagesDeps extends SendDeps {
  readonly clock: Clock;
}

/** What we do to messages: post, edit, delete, react. Throws only GatewayError. */
export class Messages {
  readonly #deps: MessagesDeps;
  readonly #reactions = new OwnReactions();
  readonly #answered = new BoundedMap<string, true>(keptQueries);

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { conversation } = message;
    const query = guestQueryOf(conversation);
    if (query !== undefined) return this.#answerGuest(query, message, signal);
    const { message_id, date, chat } = await sendOne(message, this.#deps, signal);
    const messageId = toMessageId(message_id, String(chat.id), conversation.conversationId);
    return { conversation, messageId, sentAt: instantOf(date > 0 ? date * 1_000 : this.#deps.clock.now()) };
  }

  /**
   * The one message that a call into a foreign chat may be answered with (core.telegram.org/bots/api#answerguestquery). It has no buttons,
   * since what is pressed below it comes without a chat, and no files.
   */
  async #answerGuest(queryId: string, message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { conversation, markdown, attachments } = message;
    if (attachments.length > 0) throw new GatewayError("telegram takes no files from a guest", { code: "unsupported" });
    if (this.#answered.has(queryId))
      throw new GatewayError("telegram takes one message from a guest", { code: "unsupported" });
    const rendered = toText(markdown);
    const { inline_message_id } = await formatted((isFormatted) => {
      const { text: message_text, ...more } = textArgs(rendered, isFormatted);
      const input_message_content = { message_text, ...more };
      const result = { type: "article", id: "answer", title: "Answer", input_message_content } as const;
      return this.#deps.client.call("answerGuestQuery", { guest_query_id: queryId, result }, signal);
    });
    this.#answered.set(queryId, true);
    const sentAt = instantOf(this.#deps.clock.now());
    return { conversation, messageId: brandAs<MessageId>(`inline:${inline_message_id}`), sentAt };
  }

  /** Replaces text and buttons, of a message with a file its caption. The same again is no error. */
  async edit(ref: MessageRef, markdown: string, choices: readonly Choice[], signal: AbortSignal): Promise<void> {
    const { client, chats, rich } = this.#deps;
    const text = toText(markdown);
    const keyboard = keyboardArgs(choices);
    await chats.about(ref, async (message) => {
      const place = { ...message, ...keyboard };
      const asText = () =>
        formatted((isFormatted) =>
          client.call("editMessageText", { ...place, ...textArgs(text, isFormatted) }, signal),
        );
      try {
        await rich.prefer(
          markdown,
          (rich_message) => client.call("editMessageText", { ...place, rich_message }, signal),
          asText,
        );
      } catch (error) {
        if (isRefused(error, "not-modified")) return;
        if (!isRefused(error, "no-text")) throw error;
        await this.#editCaption(place, markdown, signal);
      }
    });
  }

  async #editCaption(place: object & { chat_id: number; message_id: number }, markdown: string, signal: AbortSignal) {
    const caption = toCaption(markdown);
    try {
      await formatted((isFormatted) =>
        this.#deps.client.call("editMessageCaption", { ...place, ...captionArgs(caption, isFormatted) }, signal),
      );
    } catch (error) {
      if (!isRefused(error, "not-modified")) throw error;
    }
  }

  async leave(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { chats, client } = this.#deps;
    await chats.act(conversation, ({ chat_id }) => client.call("leaveChat", { chat_id }, signal));
  }

  async delete(ref: MessageRef, signal: AbortSignal): Promise<void> {
    await this.#deps.chats.about(ref, (message) => this.#deps.client.call("deleteMessage", message, signal));
  }

  /** Our only reaction on a message; it replaces an earlier one. */
  async react(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    const reaction = toReaction(emoji);
    await this.#setReaction(ref, [reaction], signal);
    this.#reactions.set(keyOf(ref), reaction);
  }

  async unreact(ref: MessageRef, emoji: string, signal: AbortSignal): Promise<void> {
    if (this.#reactions.isReplaced(keyOf(ref), toReaction(emoji))) return;
    await this.#setReaction(ref, [], signal);
    this.#reactions.remove(keyOf(ref));
  }

  async #setReaction(ref: MessageRef, reaction: ReturnType<typeof toReaction>[], signal: AbortSignal): Promise<void> {
    await this.#deps.chats.about(ref, (message) =>
      this.#deps.client.call("setMessageReaction", { ...message, reaction }, signal),
    );
  }

  async setTyping(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { client, chats } = this.#deps;
    await chats.act(conversation, (place) => client.call("sendChatAction", { ...place, action: "typing" }, signal));
  }
}

function keyOf({ conversation, messageId }: MessageRef): string {
  return `${conversation.conversationId}/${messageId}`;
}
