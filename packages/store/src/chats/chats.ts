import type { Clock, ProcessId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { ChatKey, ChatStore } from "../ports/chats.ts";
import type { EndedSession } from "../ports/rights.ts";
import { catchUp } from "./catch-up.ts";
import { readChatFile } from "./chat-file.ts";
import { purgeChat } from "./forget-chat.ts";
import { readHistory } from "./history.ts";
import { listChats } from "./list-chats.ts";
import { readRetriable, readRunning } from "./running-reply.ts";
import { searchChats } from "./search-chats.ts";

/** How long a list waits until it is up to date. */
const patienceMs = 500;
/** Statements that remove what was deleted while its caller waits; the rest is left to the clean-up. */
const purgesAtOnce = 10;

const nameChat = sqlLoneFunction<ChatKey & { readonly title: string }, { readonly named: boolean } | null>("name_chat");
const readChat = sqlLoneFunction<ChatKey & { readonly upTo: string }, { readonly unread: number } | null>("read_chat");
const forgetChat = sqlLoneFunction<
  ChatKey & { readonly sessionKey: string; readonly why: string },
  { readonly holder: ProcessId | null; readonly ended: readonly Required<EndedSession>[] | null }
>("forget_chat");

/** `searches` has a time limit of its own for each statement. */
export function createChatStore(database: Database, searches: Database, clock: Pick<Clock, "elapsed">): ChatStore {
  const [name, read, forget] = [nameChat(database), readChat(database), forgetChat(database)];
  const soon = async () => {
    const until = clock.elapsed() + patienceMs;
    return await catchUp(database, () => clock.elapsed() >= until);
  };
  return {
    async list(query) {
      const isReady = await soon();
      const { words } = query;
      if (words === undefined) return await listChats(database, query);
      const found = await searchChats(searches, { ...query, words });
      return isReady && (await hasReadOld(database)) ? found : { ...found, isPartial: true };
    },
    history: (key, limit, before) => readHistory(database, key, limit, before),
    file: (key, ref) => readChatFile(database, key, ref),
    running: (key) => readRunning(database, key),
    retriable: (sessionKey) => readRetriable(database, sessionKey),
    async name(key, title) {
      await soon();
      const named = await name({ ...key, title });
      return named === null ? undefined : { isNamed: named.named };
    },
    async read(key, upTo) {
      await soon();
      return (await read({ ...key, upTo })) ?? undefined;
    },
    async forget(call, signal) {
      await soon();
      const { holder, ended } = await forget(call);
      for (let n = 0; n < purgesAtOnce && !signal.aborted; n += 1) if ((await purgeChat(database, call)) === 0) break;
      return { ...(holder === null ? {} : { holder }), ended: ended ?? [] };
    },
    async catchUp(signal) {
      await catchUp(database, () => signal.aborted);
      if (!signal.aborted) await catchUp(database, () => signal.aborted, true);
    },
  };
}

async function hasReadOld(database: Database): Promise<boolean> {
  const [row] = await database.query<{ done: boolean }>({
    name: "has_read_old",
    text: "select has_read_old() as done",
  });
  return row?.done === true;
}
