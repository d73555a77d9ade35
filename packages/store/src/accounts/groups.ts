import { type AccountId, type ConversationId, instantOf, type Platform } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { GroupStore, MetGroup } from "../ports/groups.ts";

const removeGroup = sqlLoneFunction<Pick<MetGroup, "accountId" | "conversationId">, boolean>("remove_group");

export function createGroupStore(database: Database): GroupStore {
  return {
    async list() {
      const rows = await database.query<Row>({
        text: "select * from met_group order by allowed_at is null, last_at desc, account_id, conversation_id",
      });
      return rows.map(toGroup);
    },

    async allow({ accountId, conversationId, platform }) {
      await database.query({
        text: `insert into met_group (account_id, conversation_id, platform, allowed_at)
               values ($1, $2, $3, clock_timestamp())
               on conflict (account_id, conversation_id) do update
                 set allowed_at = coalesce(met_group.allowed_at, excluded.allowed_at)`,
        values: [accountId, conversationId, platform],
      });
    },

    remove: removeGroup(database),
  };
}

/** Whether an operator has let it in. */
export async function isGroupAllowed(
  database: Database,
  accountId: AccountId,
  conversationId: ConversationId,
): Promise<boolean> {
  const rows = await database.query({
    name: "is_group_allowed",
    text: "select 1 from met_group where account_id = $1 and conversation_id = $2 and allowed_at is not null",
    values: [accountId, conversationId],
  });
  return rows.length > 0;
}

interface Row {
  readonly account_id: AccountId;
  readonly conversation_id: ConversationId;
  readonly platform: Platform;
  readonly title: string | null;
  readonly messages: number;
  readonly last_at: Date;
  readonly allowed_at: Date | null;
}

function toGroup(row: Row): MetGroup {
  return {
    accountId: row.account_id,
    conversationId: row.conversation_id,
    platform: row.platform,
    ...(row.title === null ? {} : { title: row.title }),
    messages: row.messages,
    lastAt: instantOf(row.last_at.getTime()),
    ...(row.allowed_at === null ? {} : { allowedAt: instantOf(row.allowed_at.getTime()) }),
  };
}
