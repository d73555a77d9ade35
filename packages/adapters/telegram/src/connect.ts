import type { AdapterDeps } from "@talaria/adapter";
import type { AccountId, ErrorCode } from "@talaria/protocol";
import type { ChatAliases } from "./chat-aliases.ts";
import type { TelegramClient } from "./client.ts";
import { putCommandMenu } from "./command-menu.ts";
import { type TelegramConfig, webhookSecretOf } from "./config.ts";
import { migrationOf, type TelegramAccount } from "./inbound.ts";
import { poll } from "./polling.ts";
import { type RefusedUpdates, retryParkedMs } from "./refused-updates.ts";
import { allowedUpdates, readUpdate } from "./update.ts";

export interface ConnectDeps {
  readonly config: TelegramConfig;
  readonly deps: Pick<AdapterDeps, "id" | "clock" | "log" | "store" | "commands">;
  readonly client: TelegramClient;
  readonly aliases: ChatAliases;
  readonly refusedUpdates: RefusedUpdates;
  /** Called with what the server says about us, before any update comes. */
  readonly identified: (account: TelegramAccount) => void;
  readonly connected: () => void;
  readonly accept: (update: unknown) => Promise<void>;
  /** Remembers work that nobody waits for until the adapter stops. */
  readonly track: (work: Promise<unknown>) => void;
}

/** One connection to Telegram, by polling or by webhook. Ends by throwing, or when `signal` is aborted. */
export async function connect(parts: ConnectDeps, signal: AbortSignal): Promise<void> {
  const { config, deps, client, aliases, refusedUpdates, identified, connected } = parts;
  const me = await client.call("getMe", {}, signal);
  await aliases.load();
  await refusedUpdates.load();
  const selfId = String(me.id);
  identified({ accountId: deps.id, selfId, username: me.username });
  putMenu(parts, selfId, signal);
  if (config.mode === "polling") return pollUpdates(parts, signal);
  await setWebhook(parts, signal);
  connected();
  while (!signal.aborted) {
    await refusedUpdates.retry(parts.accept);
    await deps.clock.sleep(retryParkedMs, signal).catch(() => undefined);
  }
}

async function pollUpdates(
  { deps, client, aliases, refusedUpdates, connected, accept }: ConnectDeps,
  signal: AbortSignal,
) {
  const { id: accountId, clock, log } = deps;
  let retryAt = clock.now();
  await client.call("deleteWebhook", { drop_pending_updates: false }, signal);
  const session = {
    client,
    clock,
    seed: accountId,
    connected,
    refused: (failures: number) => log.warn({ accountId, failures }, "updates were not recorded and come again"),
    /** A group's move may stand behind messages of the chat it became, which are handed over at the same time. */
    preview(updates: readonly unknown[]) {
      for (const migration of updates.map(migrationIn)) if (migration !== undefined) aliases.learn(migration);
    },
    async accept(update: unknown) {
      if (await refusedUpdates.isParked(update as { update_id: number })) return;
      await accept(update);
      refusedUpdates.accepted(update as { update_id: number });
    },
    giveUp: (update: { update_id: number }, error: unknown, othersWait: boolean) =>
      refusedUpdates.refused(update, error, othersWait),
    async inBetween() {
      if (clock.now() < retryAt) return;
      retryAt = clock.now() + retryParkedMs;
      await refusedUpdates.retry(accept);
    },
  };
  await poll(session, signal);
}

function migrationIn(raw: unknown) {
  const message = (raw as { message?: object } | null)?.message;
  const isMigration = Object.keys(message ?? {}).some((key) => key.startsWith("migrate_"));
  const update = isMigration ? readUpdate(raw) : undefined;
  return update === undefined ? undefined : migrationOf(update);
}

/** The menu is a convenience: nothing waits for it, and a failure is only logged. */
function putMenu({ deps, client, track }: ConnectDeps, selfId: string, signal: AbortSignal): void {
  const menu = putCommandMenu({ client, store: deps.store, selfId }, deps.commands, signal);
  track(menu.catch((error: unknown) => deps.log.warn({ error }, "the menu of commands could not be set")));
}

/** Where Telegram posts this account's updates on the gateway. */
export function webhookPath(accountId: AccountId): `/${string}` {
  return `/platforms/${encodeURIComponent(accountId)}`;
}

async function setWebhook({ config, deps, client }: ConnectDeps, signal: AbortSignal): Promise<void> {
  const url = `${config.webhookUrl}${webhookPath(deps.id)}`;
  const args = { url, secret_token: webhookSecretOf(config), allowed_updates: allowedUpdates };
  await client.call("setWebhook", args, signal);
}

/** What an operator should do about an error that waiting cannot mend. */
export function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "Telegram refuses the bot token. Ask @BotFather for a valid one and set it as `token`.";
  if (code === "invalid_request")
    return "Telegram refuses the settings. Check `webhookUrl`: https, public, port 443, 80, 88 or 8443.";
  return "Telegram refuses the bot. Ask @BotFather about its state.";
}
