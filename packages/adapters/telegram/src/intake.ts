import type { Acceptance, AdapterHost } from "@talaria/adapter";
import type { RunningAccepts } from "@talaria/adapter-kit";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import type { TelegramAccount } from "./account.ts";
import type { ChatAliases } from "./chat-aliases.ts";
import type { Chats } from "./chats.ts";
import { addedIn, chatOf, isShutOut, migrationOf, toEvents } from "./inbound.ts";
import type { Presses } from "./presses.ts";
import { type RawUpdate, type RefusedUpdates, retryParkedMs } from "./refused-updates.ts";
import { unreadableIn } from "./unreadable.ts";
import { readUpdate, type TelegramUpdate } from "./update.ts";

export interface IntakeDeps {
  readonly host: AdapterHost;
  readonly presses: Presses;
  readonly aliases: ChatAliases;
  readonly chats: Chats;
  readonly refusedUpdates: RefusedUpdates;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts and logs what came in and could not be read. */
  readonly unreadable: (kind: string, facts?: Readonly<Record<string, unknown>>) => void;
  /** What a stop has to wait for. */
  readonly background: RunningAccepts;
}

/** Takes what Telegram sends, by polling or by webhook, and hands it to the host. */
export class Intake {
  readonly #deps: IntakeDeps;
  #account: TelegramAccount | undefined;
  #parkedAreDueAt = 0;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** A connection begins; who we are, as Telegram says. Nothing is accepted before. */
  begin(account: TelegramAccount): void {
    this.#account = account;
    this.#parkedAreDueAt = 0;
  }

  /** Our own name on Telegram, once a connection has begun. */
  get username(): string | undefined {
    return this.#account?.username;
  }

  /** Shown each batch before it is accepted: a group's move may stand behind messages of the chat that it became. */
  foresee(updates: readonly unknown[]): void {
    for (const migration of updates.map(migrationIn)) if (migration !== undefined) this.#deps.aliases.learn(migration);
  }

  /**
   * Hands one update to the host. Resolves when Telegram need not send it again, also when there was nothing in it for us;
   * rejects when the host could not record it, or what it tells of a chat could not be stored.
   */
  async accept(raw: unknown): Promise<void> {
    const { refusedUpdates, background } = this.#deps;
    if (await refusedUpdates.isParked(raw as RawUpdate)) return;
    await background.track(this.#take(raw));
    refusedUpdates.accepted(raw as RawUpdate);
  }

  /** An update was not accepted. True when it is put aside and counts as taken; false when Telegram has to send it again. */
  async giveUp(update: object, error: unknown, othersWait: boolean): Promise<boolean> {
    const { update_id: updateId } = update as RawUpdate;
    if (!Number.isSafeInteger(updateId)) return false;
    return this.#deps.refusedUpdates.refused(update as RawUpdate, error, othersWait);
  }

  /** Offers what was put aside to the host again: at the begin of a connection, then once an hour. Never rejects. */
  async offerParked(): Promise<void> {
    const { clock, refusedUpdates } = this.#deps;
    if (clock.elapsed() < this.#parkedAreDueAt) return;
    this.#parkedAreDueAt = clock.elapsed() + retryParkedMs;
    for (const updateId of refusedUpdates.parked()) await this.#offerAgain(updateId);
  }

  async #offerAgain(updateId: number): Promise<void> {
    const { refusedUpdates, log } = this.#deps;
    try {
      const update = await refusedUpdates.read(updateId);
      if (update !== undefined) await this.#deps.background.track(this.#take(update));
      await refusedUpdates.taken(updateId);
    } catch (error) {
      log.error({ updateId, error }, "an update that was put aside is still refused");
    }
  }

  async #take(raw: unknown): Promise<void> {
    const { host, aliases, clock, unreadable, presses } = this.#deps;
    const account = this.#account;
    if (account === undefined)
      throw new GatewayError("the account is not connected", { code: "unavailable", effect: "none" });
    const update = readUpdate(raw);
    if (update === undefined) return unreadable("update");
    const updateId = update.update_id;
    for (const kind of unreadableIn(raw, update)) unreadable(kind, { updateId });
    await this.#noticeChat(update);
    const acceptances: Acceptance[] = [];
    const known = { ...account, firstIdOf: (chatId: string) => aliases.firstIdOf(chatId) };
    const added = addedIn(update, known);
    if (added !== undefined) await host.added(added.conversation, added.by);
    let refusal: string | undefined;
    const tellRefused = (words: string) => {
      refusal = words;
    };
    const options = update.callback_query === undefined ? {} : { tellRefused };
    for (const event of toEvents(update, known, clock.now())) acceptances.push(await host.accept(event, options));
    await presses.answer(update, acceptances, refusal);
  }

  async #noticeChat(update: TelegramUpdate): Promise<void> {
    const { aliases, chats } = this.#deps;
    const chat = chatOf(update);
    if (chat === undefined) return;
    await aliases.lookUp(chat.id);
    const migration = migrationOf(update);
    if (migration) aliases.learn(migration);
    await aliases.keep();
    if (isShutOut(update)) chats.closedBy(chat.id);
    else chats.heardFrom({ id: chat.id, isForum: chat.is_forum === true });
  }
}

function migrationIn(raw: unknown) {
  const message = (raw as { message?: object } | null)?.message;
  const isMigration = Object.keys(message ?? {}).some((key) => key.startsWith("migrate_"));
  const update = isMigration ? readUpdate(raw) : undefined;
  return update === undefined ? undefined : migrationOf(update);
}
