import type { AccountId, Log } from "@talaria/protocol";
import type { SlackClient } from "./client.ts";
import { isRefusal } from "./errors.ts";
import { notices } from "./notices.ts";
import type { OpenedThread } from "./wire.ts";

export interface SuggestedPromptsDeps {
  readonly accountId: AccountId;
  readonly client: Pick<SlackClient, "call">;
  readonly log: Log;
}

/** Refusals that every thread would meet: the app was installed without the scope, or has no assistant. */
const refusals = ["missing_scope", "not_allowed_token_type", "unknown_method"] as const;

/**
 * Offers prompts to a person who opens an assistant thread. An app without the scope `assistant:write` is told of once and not
 * asked again before a restart.
 */
export class SuggestedPrompts {
  readonly #deps: SuggestedPromptsDeps;
  #isRefused = false;

  constructor(deps: SuggestedPromptsDeps) {
    this.#deps = deps;
  }

  /**
   * Never throws: a thread without prompts is as good. `thread_ts` belongs to apps with an `assistant_view`, which our manifest
   * has; those with an `agent_view` are not told of threads (docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts).
   */
  async show({ channel_id, thread_ts }: OpenedThread, signal: AbortSignal): Promise<void> {
    if (this.#isRefused) return;
    const { accountId, client, log } = this.#deps;
    const { promptsTitle: title, prompts } = notices;
    try {
      await client.call("assistant.threads.setSuggestedPrompts", { channel_id, thread_ts, title, prompts }, signal);
    } catch (error) {
      if (!isRefusal(error, ...refusals)) return log.debug({ accountId, error }, "prompts were not suggested");
      if (this.#isRefused) return;
      this.#isRefused = true;
      log.warn({ accountId, error }, "slack refuses suggested prompts: give the app the scope assistant:write");
    }
  }
}
