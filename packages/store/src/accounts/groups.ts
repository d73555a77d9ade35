import { randomBytes } from "node:crypto";
import { type AccountId, type ConversationId, instantOf, type Platform } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlLoneFunction } from "../database/sql-function.ts";
import type { GroupDecision } from "../ports/group-decision.ts";
import type { GroupQuestion, GroupStore, MetGroup } from "../ports/groups.ts";
import type { OutboxText } from "../ports/outbox.ts";

const removeGroup = sqlLoneFunction<Pick<MetGroup, "accountId" | "conversationId">, boolean>("remove_group");

/** So many groups of an account to which no owner has added us are asked about in an hour: anybody can add a bot to groups. */
const askedPerHour = 5;

type Group = Pick<MetGroup, "accountId" | "conversationId" | "platform">;

interface AskCall extends Group, Pick<GroupQuestion, "isAdded"> {
  readonly id: string;
  readonly texts: readonly OutboxText[];
  readonly title: string | undefined;
  readonly perHour: number;
}

const allowGroup = sqlLoneFunction<Group, null>("allow_group");
const askAboutGroup = sqlLoneFunction<AskCall, boolean>("ask_about_group");

export function createGroupStore(database: Database): GroupStore {
  const allow = allowGroup(database);
  const ask = askAboutGroup(database);
  return {
    async list() {
      const rows = await database.query<Row>({
        text: "select * from met_group order by allowed_at is null, last_at desc, account_id, conversation_id",
      });
      return rows.map(toGroup);
    },

    allow: async ({ accountId, conversationId, platform }) => {
      await allow({ accountId, conversationId, platform });
    },

    async isUnasked({ accountId, conversationId }) {
      const rows = await database.query({
        name: "is_group_unasked",
        text: `select 1 from met_group
                where account_id = $1 and conversation_id = $2
                      and (asked_at is not null or decision is not null or allowed_at is not null)`,
        values: [accountId, conversationId],
      });
      return rows.length === 0;
    },

    async ask({ group: { accountId, conversationId, platform, title }, isAdded, texts }) {
      const id = randomBytes(8).toString("hex");
      return ask({ id, accountId, conversationId, platform, title, isAdded, perHour: askedPerHour, texts: texts(id) });
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
  readonly id: string | null;
  readonly decision: GroupDecision | null;
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
    ...(row.id === null ? {} : { id: row.id }),
    ...(row.decision === null ? {} : { decision: row.decision }),
  };
}
