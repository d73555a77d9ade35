import type { AdapterDeps } from "@talaria/adapter";
import type { RunningAccepts } from "@talaria/adapter-kit";
import type { AccountId, ErrorCode } from "@talaria/protocol";
import type { ChatAliases } from "./chat-aliases.ts";
import type { TelegramClient } from "./client.ts";
import { putCommandMenu } from "./command-menu.ts";
import { type TelegramConfig, webhookSecretOf } from "./config.ts";
import type { Intake } from "./intake.ts";
import { poll } from "./polling.ts";
import { type RefusedUpdates, retryParkedMs } from "./refused-updates.ts";
import { updatesFor } from "./update.ts";

export interface ConnectDeps {
  readonly config: TelegramConfig;
  readonly deps: Pick<AdapterDeps, "id" | "clock" | "log" | "store" | "commands" | "audience">;
  readonly client: TelegramClient;
  readonly aliases: ChatAliases;
  readonly refusedUpdates: RefusedUpdates;
  readonly intake: Intake;
  /** What a stop has to wait for. */
  readonly background: RunningAccepts;
}

/** One connection to Telegram, by polling or by webhook. Ends by throwing, or when `signal` is aborted. */
export async function connect(parts: ConnectDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const { config, deps, client, aliases, refusedUpdates, intake } = parts;
  const me = await client.call("getMe", {}, signal);
  await aliases.load();
  await refusedUpdates.load();
  const selfId = String(me.id);
  if (config.guestMode && me.supports_guest_queries !== true)
    deps.log.warn(
      { accountId: deps.id },
      "telegram knows this bot as no guest: switch its guest mode on at @BotFather",
    );
  intake.begin({ accountId: deps.id, selfId, username: me.username, guestMode: config.guestMode });
  putMenu(parts, selfId, signal);
  if (config.mode === "polling") {
    await client.call("deleteWebhook", { drop_pending_updates: false }, signal);
    const allowed = updatesFor(config);
    return poll({ client, allowed, clock: deps.clock, log: deps.log, intake, connected, seed: deps.id }, signal);
  }
  await setWebhook(parts, signal);
  connected();
  while (!signal.aborted) {
    await intake.offerParked();
    await deps.clock.sleep(retryParkedMs, signal).catch(() => undefined);
  }
}

/** The menu is a convenience: nothing waits for it, and a failure is only logged. */
function putMenu({ deps, client, background }: ConnectDeps, selfId: string, signal: AbortSignal): void {
  const { store, log, audience } = deps;
  const menu = putCommandMenu({ client, store, selfId, log, audience }, deps.commands, signal);
  const put = menu.catch((error: unknown) => deps.log.warn({ error }, "the menu of commands could not be set"));
  void background.track(put);
}

/** Where Telegram posts this account's updates on the gateway. */
export function webhookPath(accountId: AccountId): `/${string}` {
  return `/platforms/${encodeURIComponent(accountId)}`;
}

async function setWebhook({ config, deps, client }: ConnectDeps, signal: AbortSignal): Promise<void> {
  const url = `${config.webhookUrl}${webhookPath(deps.id)}`;
  const args = { url, secret_token: webhookSecretOf(config), allowed_updates: updatesFor(config) };
  await client.call("setWebhook", args, signal);
}

/** What an operator should do about an error that waiting does not resolve. */
export function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "Telegram refuses the bot token. Ask @BotFather for a valid one and set it as `token`.";
  if (code === "invalid_request")
    return "Telegram refuses the settings. Check `webhookUrl`: https, public, port 443, 80, 88 or 8443.";
  return "Telegram refuses the bot. Ask @BotFather about its state.";
}
