import { createHash } from "node:crypto";
import type { ReplyTarget, ReplyView } from "@talaria/adapter";
import { type Clock, GatewayError, isGatewayError, type OutboundMessage, type SentMessage } from "@talaria/protocol";
import type { Chats } from "./chats.ts";
import type { TelegramClient } from "./client.ts";
import { formatted } from "./formatted.ts";
import { textArgs, toText } from "./outbound.ts";

/** A draft vanishes 30 s after it was last shown. */
const refreshMs = 20_000;
/** A view that nobody updates, finishes or discards is given up after this many refreshes, ten minutes. */
const maxRefreshes = 30;

export interface DraftViewDeps {
  readonly client: TelegramClient;
  readonly chats: Chats;
  readonly clock: Clock;
  /** Posts the final message. */
  readonly send: (message: OutboundMessage, signal: AbortSignal) => Promise<SentMessage>;
  /** Aborted when the adapter stops. */
  readonly stopping: AbortSignal;
}

/**
 * Opens a preview in a private chat; at first it shows that we are thinking. Throws `unsupported` when the server does
 * not show drafts.
 */
export async function openDraftView(target: ReplyTarget, deps: DraftViewDeps, signal: AbortSignal): Promise<ReplyView> {
  const view = new DraftView(target, deps);
  try {
    await view.begin(signal);
  } catch (error) {
    if (!isGatewayError(error, "invalid_request") && !isGatewayError(error, "unsupported")) throw error;
    throw new GatewayError("the telegram server shows no drafts", { code: "unsupported", cause: error });
  }
  return view;
}

class DraftView implements ReplyView {
  readonly #deps: DraftViewDeps;
  readonly #target: ReplyTarget;
  readonly #draftId: number;
  readonly #over = new AbortController();
  #shown = "";
  /** Calls come one after another, so that an older text never replaces a newer one. */
  #lastCall: Promise<unknown> = Promise.resolve();
  #refreshing: Promise<void> = Promise.resolve();
  #nextRefresh = new AbortController();

  constructor(target: ReplyTarget, deps: DraftViewDeps) {
    this.#deps = deps;
    this.#target = target;
    this.#draftId = draftIdOf(target);
  }

  async begin(signal: AbortSignal): Promise<void> {
    await this.#show("", signal);
    this.#refreshing = this.#keepShown(AbortSignal.any([this.#over.signal, this.#deps.stopping]));
  }

  async update(markdown: string, signal: AbortSignal): Promise<void> {
    if (this.#over.signal.aborted || markdown === this.#shown) return;
    await this.#show(markdown, signal);
    this.#nextRefresh.abort();
  }

  async finish(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    await this.#close();
    return this.#deps.send(message, signal);
  }

  /** Telegram takes no draft back: it fades within 30 s. */
  async discard(): Promise<void> {
    await this.#close();
  }

  /** No refresh may come after the final message: it would show the draft again. */
  async #close(): Promise<void> {
    this.#over.abort();
    await Promise.all([this.#refreshing, this.#lastCall]);
  }

  /** Without a text, the one that is shown by then. */
  #show(markdown: string | undefined, signal: AbortSignal): Promise<void> {
    const shown = this.#lastCall.then(() => this.#call(markdown ?? this.#shown, signal));
    this.#lastCall = shown.catch(() => undefined);
    return shown;
  }

  async #call(markdown: string, signal: AbortSignal): Promise<void> {
    const { client, chats } = this.#deps;
    const draft = { draft_id: this.#draftId, can_stop: true };
    const isEmpty = markdown.trim() === "";
    const text = isEmpty ? { html: "", text: "" } : toText(markdown);
    await chats.post(this.#target.conversation, (place) =>
      formatted((isFormatted) => {
        const { link_preview_options: _, ...shown } = textArgs(text, isFormatted && !isEmpty);
        return client.call("sendMessageDraft", { ...place, ...draft, ...shown }, signal);
      }),
    );
    this.#shown = markdown;
  }

  /** Shows the same text again before it vanishes. A failed refresh costs the preview, nothing else. */
  async #keepShown(signal: AbortSignal): Promise<void> {
    for (let refreshes = 0; refreshes < maxRefreshes; ) {
      this.#nextRefresh = new AbortController();
      const { signal: updated } = this.#nextRefresh;
      await this.#deps.clock.sleep(refreshMs, AbortSignal.any([signal, updated])).catch(() => undefined);
      if (signal.aborted) return;
      refreshes = updated.aborted ? 0 : refreshes + 1;
      if (!updated.aborted) await this.#show(undefined, signal).catch(() => undefined);
    }
  }
}

/** The same reply has the same draft, also when another process goes on with it. Never 0. */
function draftIdOf({ conversation, replyTo }: ReplyTarget): number {
  const name = `${conversation.conversationId}/${conversation.threadId ?? ""}/${replyTo ?? ""}`;
  return (createHash("sha256").update(name).digest().readUInt32BE(0) >>> 1) + 1;
}
