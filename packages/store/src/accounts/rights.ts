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
import type { EndedSession, RightsStore } from "../ports/rights.ts";

const mostPeople = 10_000;

interface Row {
  readonly account_id: AccountId;
  readonly sender: Sender;
  /** Only those that the statement names. */
  readonly role: Role;
  readonly conversation: Conversation;
}

interface EndedRow {
  readonly session_key: SessionKey;
  readonly holder: ProcessId | null;
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
      const text = "select session_key, holder from weaken_person($1, $2, $3, $4, $5)";
      const values = [accountId, userId, role, lost, mandate === undefined ? null : JSON.stringify(mandate)];
      return (await database.query<EndedRow>({ text, values })).map(toEnded);
    },

    async shut(accountId, conversationId) {
      const text = "select session_key, holder from shut_conversation($1, $2)";
      return (await database.query<EndedRow>({ text, values: [accountId, conversationId] })).map(toEnded);
    },

    async endFormerKind(conversation, { markdown }) {
      const kind = changingKindOf(conversation);
      if (kind === undefined) return [];
      const { threadId: _, ...place } = conversation;
      const notice = { kind: "notice", conversation: place, markdown, attachments: [] };
      const rows = await database.query<EndedRow>({
        name: "end_former_kind",
        text: "select session_key, holder from end_former_kind($1, $2, $3)",
        values: [kind.base, kind.isGroup, JSON.stringify(notice)],
      });
      return rows.map(toEnded);
    },
  };
}

function toEnded({ session_key: sessionKey, holder }: EndedRow): EndedSession {
  return { sessionKey, ...(holder !== null && { holder }) };
}
