import type { AdapterDeps } from "@talaria/adapter";
import { BoundedMap } from "@talaria/adapter-kit";
import type { AccountId, Log } from "@talaria/protocol";
import type { SlackClient } from "./client.ts";
import { isRefusal } from "./errors.ts";
import type { People } from "./people.ts";
import type { OpenedThread } from "./wire.ts";

export interface SuggestedPromptsDeps {
  readonly accountId: AccountId;
  readonly client: Pick<SlackClient, "call">;
  readonly people: Pick<People, "languageOf">;
  readonly wordsIn: AdapterDeps["wordsIn"];
  readonly log: Log;
}

const keptPlaces = 2_000;
/** Refusals that every thread would meet: the app was installed without the scope, or has no assistant. */
const refusals = ["missing_scope", "not_allowed_token_type", "unknown_method"] as const;

/**
 * Offers prompts to a person who opens a conversation with the agent. An app without the scope `assistant:write` is told of once and not
 * asked again before a restart.
 */
export class SuggestedPrompts {
  readonly #deps: SuggestedPromptsDeps;
  readonly #shown = new BoundedMap<string, true>(keptPlaces);
  #isRefused = false;

  constructor(deps: SuggestedPromptsDeps) {
    this.#deps = deps;
  }

  /**
   * Never throws: a conversation without prompts is as good. Apps with an `assistant_view` are told of threads; those with an `agent_view`
   * show their prompts above all messages, and are told each time that somebody looks there
   * (docs.slack.dev/ai/migrating-to-agent-messaging), so that once is enough.
   */
  async show(
    { user_id: userId, ...place }: Pick<OpenedThread, "channel_id"> & Partial<OpenedThread>,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${place.channel_id}/${place.thread_ts ?? ""}`;
    if (this.#isRefused || this.#shown.has(key)) return;
    const { accountId, client, people, log, wordsIn } = this.#deps;
    const { promptsTitle: title, prompts } = wordsIn(await people.languageOf(userId, signal));
    try {
      await client.call("assistant.threads.setSuggestedPrompts", { ...place, title, prompts }, signal);
      this.#shown.set(key, true);
    } catch (error) {
      if (!isRefusal(error, ...refusals)) return log.debug({ accountId, error }, "prompts were not suggested");
      if (this.#isRefused) return;
      this.#isRefused = true;
      log.warn({ accountId, error }, "slack refuses suggested prompts: give the app the scope assistant:write");
    }
  }
}
