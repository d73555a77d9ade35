import type { Adapter, AdapterDeps, OwnPlatform } from "@talaria/adapter";
import type { WebChannel } from "@talaria/adapter-web";
import type { TalariaConfig, WebhookConfig } from "@talaria/config";
import { loadPlatform, ownPlatforms } from "@talaria/platforms";
import { type AccountId, brandAs, type Conversation, type ConversationId, type ThreadId } from "@talaria/protocol";
import type { EventStatus, InboxStore } from "@talaria/store";
import { webAccountId, webhookAccountId } from "./account-policy.ts";

export interface AdapterParts {
  readonly config: TalariaConfig;
  readonly channel: WebChannel;
  readonly inbox: Pick<InboxStore, "status">;
  readonly depsFor: (id: AccountId) => AdapterDeps;
}

/** Every account of the configuration as an adapter: the web chat, the webhook routes, the platforms. */
export async function createAdapters(parts: AdapterParts): Promise<readonly Adapter[]> {
  const { config, channel, inbox } = parts;
  const create = creatorWith(parts.depsFor);
  const replyOf = (id: AccountId): WebhookNeeds["replyOf"] => {
    return async (eventId) => replyIn(await inbox.status(id, eventId));
  };
  const adapters = await Promise.all([
    create(
      webAccountId,
      ownPlatforms.web,
      { maxTextChars: config.limits.textChars, maxFileBytes: config.media.maxBytes },
      { channel },
    ),
    ...Object.entries(config.webhooks).map(async ([route, entry]) => {
      const id = webhookAccountId(route);
      const replyTo = await deliveryPlace(config, entry.answer);
      const needs = { replyOf: replyOf(id), ...(replyTo && { replyTo }) };
      return create(id, ownPlatforms.webhook, { route, ...entry }, needs);
    }),
    ...Object.entries(config.accounts).map(([id, { platform, settings }]) =>
      create(brandAs<AccountId>(id), () => loadPlatform(platform), settings, {}),
    ),
  ]);
  return adapters.filter((adapter) => adapter !== undefined);
}

type WebhookModule = Awaited<ReturnType<typeof ownPlatforms.webhook>>;
type WebhookNeeds = WebhookModule extends OwnPlatform<infer Needs> ? Needs : never;

/** How an account becomes an adapter. Undefined: no such platform is registered. */
function creatorWith(depsFor: AdapterParts["depsFor"]) {
  return async <Needs>(
    id: AccountId,
    load: () => Promise<OwnPlatform<Needs> | undefined>,
    settings: unknown,
    needs: Needs,
  ): Promise<Adapter | undefined> => {
    const create = await (await load())?.load();
    return create?.(settings, { ...depsFor(id), ...needs });
  };
}

/** Null: the event was settled without an answer. Undefined: the agent has not finished. */
function replyIn(status: EventStatus | undefined): string | null | undefined {
  if (status === undefined || status.state === "waiting" || status.state === "running") return undefined;
  return status.reply ?? null;
}

/** The conversation that a route's answers are sent to. */
async function deliveryPlace(
  config: TalariaConfig,
  answer: WebhookConfig["answer"],
): Promise<Conversation | undefined> {
  if (answer.kind !== "deliver") return undefined;
  const platform = config.accounts[answer.account]?.platform;
  const module = platform === undefined ? undefined : await loadPlatform(platform);
  if (module === undefined) return undefined;
  return {
    accountId: brandAs<AccountId>(answer.account),
    platform: module.name,
    conversationId: brandAs<ConversationId>(answer.conversation),
    kind: module.isDirect(answer.conversation) ? "direct" : "group",
    ...(answer.thread === undefined ? {} : { threadId: brandAs<ThreadId>(answer.thread) }),
  };
}
