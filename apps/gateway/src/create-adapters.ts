import type { Adapter, AdapterDeps } from "@talaria/adapter";
import { createWebAdapter, type WebChannel } from "@talaria/adapter-web";
import type { TalariaConfig, WebhookConfig } from "@talaria/config";
import { type AccountId, brandAs, type Conversation, type ConversationId, type ThreadId } from "@talaria/protocol";
import type { EventStatus, InboxStore } from "@talaria/store";
import { webAccountId, webhookAccountId } from "./account-policy.ts";
import { loadPlatforms } from "./adapters.ts";

export interface AdapterParts {
  readonly config: TalariaConfig;
  readonly channel: WebChannel;
  readonly inbox: Pick<InboxStore, "status">;
  readonly depsFor: (id: AccountId) => AdapterDeps;
}

/** Every account of the configuration as an adapter: the web chat, the webhook routes, the platforms. */
export async function createAdapters(parts: AdapterParts): Promise<readonly Adapter[]> {
  const { config, channel, depsFor } = parts;
  const web = createWebAdapter({ maxTextChars: config.limits.textChars }, { ...depsFor(webAccountId), channel });
  return [web, ...(await webhookAdapters(parts)), ...(await platformAdapters(parts))];
}

async function webhookAdapters({ config, inbox, depsFor }: AdapterParts): Promise<readonly Adapter[]> {
  const routes = Object.entries(config.webhooks);
  if (routes.length === 0) return [];
  const { createWebhookAdapter } = await import("@talaria/adapter-webhook");
  return routes.map(([route, entry]) => {
    const id = webhookAccountId(route);
    const replyTo = deliveryPlace(config, entry.answer);
    return createWebhookAdapter(
      { route, ...entry },
      {
        ...depsFor(id),
        replyOf: async (eventId) => replyIn(await inbox.status(id, eventId)),
        ...(replyTo === undefined ? {} : { replyTo }),
      },
    );
  });
}

/** Null: the event has come to its end without an answer. Undefined: the agent is not done. */
function replyIn(status: EventStatus | undefined): string | null | undefined {
  if (status === undefined || status.state === "waiting" || status.state === "running") return undefined;
  return status.reply ?? null;
}

/** The conversation that a route's answers are sent to. Negative chat ids are groups on Telegram. */
function deliveryPlace(config: TalariaConfig, answer: WebhookConfig["answer"]): Conversation | undefined {
  if (answer.kind !== "deliver") return undefined;
  const account = config.accounts[answer.account];
  if (account === undefined) return undefined;
  return {
    accountId: brandAs<AccountId>(answer.account),
    platform: account.platform,
    conversationId: brandAs<ConversationId>(answer.conversation),
    kind: account.platform === "telegram" && !answer.conversation.startsWith("-") ? "direct" : "group",
    ...(answer.thread === undefined ? {} : { threadId: brandAs<ThreadId>(answer.thread) }),
  };
}

async function platformAdapters({ config, depsFor }: AdapterParts): Promise<readonly Adapter[]> {
  const accounts = Object.entries(config.accounts);
  const platforms = await loadPlatforms(accounts.map(([, account]) => account.platform));
  return accounts.flatMap(([id, account]) => {
    const entry = platforms.get(account.platform);
    return entry === undefined ? [] : [entry.create(account.settings, depsFor(brandAs<AccountId>(id)))];
  });
}
