import type { Acceptance, AdapterHost } from "@talaria/adapter";
import type { Clock, Log } from "@talaria/protocol";
import type { ChatAliases } from "./chat-aliases.ts";
import type { Chats } from "./chats.ts";
import type { TelegramClient } from "./client.ts";
import { chatOf, migrationOf, type TelegramAccount, toEvents } from "./inbound.ts";
import { readUpdate, type TelegramUpdate } from "./update.ts";

export interface AcceptDeps {
  readonly host: AdapterHost;
  readonly account: TelegramAccount;
  readonly client: TelegramClient;
  readonly aliases: ChatAliases;
  readonly chats: Chats;
  readonly clock: Clock;
  readonly log: Log;
  /** Remembers work that nobody waits for until the adapter stops. */
  readonly track: (work: Promise<unknown>) => void;
}

/** Statuses with which a bot can do nothing in a chat; in a private chat `kicked` means that the person blocked it. */
const outside: ReadonlySet<string> = new Set(["left", "kicked"]);

/**
 * Hands one update to the host. Resolves when Telegram need not send it again, also when there was nothing in it for us;
 * rejects when the host could not record it, or what it tells of a chat could not be stored.
 */
export async function acceptUpdate(raw: unknown, deps: AcceptDeps, signal: AbortSignal): Promise<void> {
  const { host, account, aliases, clock, log } = deps;
  const update = readUpdate(raw);
  if (update === undefined) return log.warn({}, "an update without an id was left out");
  await noticeChat(update, deps);
  const acceptances: Acceptance[] = [];
  const known = { ...account, firstIdOf: (chatId: string) => aliases.firstIdOf(chatId) };
  for (const event of toEvents(update, known, clock.now())) acceptances.push(await host.accept(event));
  answerPress(update, acceptances, deps, signal);
}

async function noticeChat(update: TelegramUpdate, { aliases, chats }: AcceptDeps): Promise<void> {
  const chat = chatOf(update);
  if (chat === undefined) return;
  await aliases.lookUp(chat.id);
  const migration = migrationOf(update);
  if (migration) aliases.learn(migration);
  await aliases.keep();
  if (outside.has(update.my_chat_member?.new_chat_member.status ?? "")) chats.closedBy(chat.id);
  else chats.heardFrom({ id: chat.id, isForum: chat.is_forum === true });
}

/** The button shows that it works until it is answered. Who may not press it is told so. */
function answerPress(
  { callback_query: press }: TelegramUpdate,
  acceptances: readonly Acceptance[],
  { client, log, track }: AcceptDeps,
  signal: AbortSignal,
): void {
  if (press === undefined) return;
  const isRefused = acceptances.length > 0 && acceptances.every((acceptance) => acceptance === "dropped");
  const words = isRefused ? { text: "This button is not for you." } : {};
  const answer = client.call("answerCallbackQuery", { callback_query_id: press.id, ...words }, signal);
  track(answer.catch((error: unknown) => log.debug({ error }, "a button press was not answered")));
}
