import {
  type AccountId,
  type Asker,
  type Conversation,
  instantOf,
  type ProcessId,
  type SessionKey,
  type TurnId,
} from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { sqlFunction } from "../database/sql-function.ts";
import type { BackgroundStore, BegunInBackground } from "../ports/background.ts";
import type { SessionLease } from "../ports/turns.ts";

const mostListed = 200;

type Begun = SessionLease & BegunInBackground & { readonly turnId: string; readonly heldBy: ProcessId };

const beginBackground = sqlFunction<Begun, { readonly id: number } | { readonly ended: true }>("begin_background");

interface Row {
  readonly id: string;
  readonly session_key: SessionKey;
  readonly held_by: ProcessId;
  readonly command: string;
  readonly hosts: readonly string[];
  readonly askers: readonly Asker[];
  readonly route: Conversation;
  readonly started_at: Date;
  readonly is_let_go: boolean;
  readonly turn_id: TurnId | null;
}

export function createBackgroundStore(database: Database): BackgroundStore {
  const beginOne = beginBackground(database);
  return {
    async begin(lease, turnId, process) {
      const answer = await beginOne({ ...lease, ...process, turnId, heldBy: lease.holder });
      return "id" in answer ? String(answer.id) : undefined;
    },

    async ended(holder, ids) {
      const text = "delete from background_process where held_by = $1 and id = any ($2::bigint[])";
      await database.query({ name: "ended_in_background", text, values: [holder, [...ids]] });
    },

    async toEnd(holder) {
      const text =
        "select id::text, end_reason as reason from background_process where held_by = $1 and end_at is not null";
      return await database.query({ name: "background_to_end", text, values: [holder] });
    },

    async running(sessionKey) {
      const text = `select id::text, session_key, held_by, command, hosts, askers, route, started_at, is_let_go, turn_id
                      from background_process as one
                     where ($1::text is null or session_key = $1) and not is_shell and goes_on(one)
                     order by one.id limit $2`;
      const rows = await database.query<Row>({ text, values: [sessionKey ?? null, mostListed] });
      return rows.map(({ session_key, held_by, started_at, is_let_go, turn_id, ...row }) => ({
        ...row,
        ...{ sessionKey: session_key, heldBy: held_by, isLetGo: is_let_go },
        ...(turn_id === null ? {} : { turnId: turn_id }),
        startedAt: instantOf(started_at.getTime()),
      }));
    },

    async counts() {
      const text = `select route ->> 'accountId' as "accountId", count(*)::integer as processes
                      from background_process as one where not is_shell and goes_on(one) group by 1 order by 1 limit $1`;
      return await database.query<{ readonly accountId: AccountId; readonly processes: number }>({
        text,
        values: [mostListed],
      });
    },
  };
}
