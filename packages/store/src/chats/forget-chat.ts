import type { AccountId, ConversationId, SessionKey } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { ChatKey } from "../ports/chats.ts";
import { sessionsOf } from "./sessions-of.ts";

/** Rows of each table that one statement removes. */
const pageRows = 1_000;
const pageChats = 500;

const purge = sqlLoneFunction<
  ChatKey & { readonly sessionKey: SessionKey | string; readonly most: number },
  { readonly removed: number }
>("purge_chat");

/** Removes rows of a deleted conversation that nothing uses. Returns how many; 0: there is none now. */
export async function purgeChat(
  database: Database,
  { accountId, conversationId, sessionKey }: ChatKey & { readonly sessionKey: SessionKey | string },
): Promise<number> {
  return (await purge(database)({ accountId, conversationId, sessionKey, most: pageRows })).removed;
}

/** What is left of all deleted conversations. Only the console's are deleted: each has one session. */
export async function purgeChats(database: Database, signal: AbortSignal): Promise<number> {
  let total = 0;
  let last: readonly [string, string] = ["", ""];
  while (!signal.aborted) {
    const rows = await database.query<{ account_id: AccountId; conversation_id: ConversationId }>({
      name: "deleted_chats",
      text: `select account_id, conversation_id from chat
              where deleted_at > '-infinity' and (account_id, conversation_id) > ($1, $2)
              order by account_id, conversation_id
              limit ${pageChats}`,
      values: last,
    });
    for (const { account_id: accountId, conversation_id: conversationId } of rows) {
      last = [accountId, conversationId];
      const key = { accountId, conversationId };
      for (let removed = 1; removed > 0 && !signal.aborted; total += removed)
        removed = await purgeChat(database, { ...key, sessionKey: sessionsOf(key) });
    }
    if (rows.length < pageChats) break;
  }
  return total;
}
