import {
  type AccountId,
  type Conversation,
  changingKindOf,
  type ProcessId,
  type Role,
  type Sender,
  type SessionKey,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { RightsStore } from "../ports/rights.ts";

const mostPeople = 10_000;

interface Row {
  readonly account_id: AccountId;
  readonly sender: Sender;
  /** Only those that the statement names. */
  readonly role: Role;
  readonly conversation: Conversation;
}

/** What becomes of work when rights are taken away. */
export function createRightsStore(database: Database): RightsStore {
  return {
    async atWork() {
      const text = "select account_id, sender, role, conversation from people_at_work($1)";
      const rows = await database.query<Row>({ text, values: [mostPeople] });
      return rows.map(({ account_id, ...person }) => ({ accountId: account_id, ...person }));
    },

    async weaken({ accountId, userId, role, lost, mandate }) {
      const text = "select weaken_person($1, $2, $3, $4, $5) as stopped";
      const rows = await database.query<{ readonly stopped: number }>({
        text,
        values: [accountId, userId, role, lost, mandate === undefined ? null : JSON.stringify(mandate)],
      });
      return rows[0]?.stopped ?? 0;
    },

    async shut(accountId, conversationId) {
      const text = "select shut_conversation($1, $2) as stopped";
      const rows = await database.query<{ readonly stopped: number }>({ text, values: [accountId, conversationId] });
      return rows[0]?.stopped ?? 0;
    },

    async endFormerKind(conversation, { markdown }) {
      const kind = changingKindOf(conversation);
      if (kind === undefined) return [];
      const { threadId: _, ...place } = conversation;
      const notice = { kind: "notice", conversation: place, markdown, attachments: [] };
      const rows = await database.query<{ readonly session_key: SessionKey; readonly holder: ProcessId | null }>({
        name: "end_former_kind",
        text: "select session_key, holder from end_former_kind($1, $2, $3)",
        values: [kind.base, kind.isGroup, JSON.stringify(notice)],
      });
      return rows.map(({ session_key: sessionKey, holder }) => ({ sessionKey, ...(holder !== null && { holder }) }));
    },
  };
}
