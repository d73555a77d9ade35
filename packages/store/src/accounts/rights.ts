import type { AccountId, Role, Sender } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { RightsStore } from "../ports/rights.ts";

const mostPeople = 10_000;

interface Row {
  readonly account_id: AccountId;
  readonly sender: Sender;
  /** Only those that the statement names. */
  readonly role: Role;
}

/** What becomes of work when rights are taken away. */
export function createRightsStore(database: Database): RightsStore {
  return {
    async atWork() {
      const text = "select account_id, sender, role from people_at_work($1)";
      const rows = await database.query<Row>({ text, values: [mostPeople] });
      return rows.map(({ account_id, sender, role }) => ({ accountId: account_id, sender, role }));
    },

    async weaken({ accountId, userId, role, lost }) {
      const text = "select weaken_person($1, $2, $3, $4) as stopped";
      const rows = await database.query<{ readonly stopped: number }>({
        text,
        values: [accountId, userId, role, lost],
      });
      return rows[0]?.stopped ?? 0;
    },
  };
}
