import { type AccountId, instantOf, type Platform, type ProcessId } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import { toJson } from "../database/json.ts";
import type { AccountRow, AccountStore } from "../ports/accounts.ts";
import type { AccountLease } from "../ports/outbox.ts";

interface LeaseRow {
  readonly account_id: AccountId;
  readonly fence: string;
}

/** `ms` is the parameter with the length of the lease. */
const leaseEnd = (ms: string) => `clock_timestamp() + ${ms}::integer * interval '1 millisecond'`;

/** Whether the row to be taken is held by the process in `$3` already. */
const isStillOurs = "held.holder = $3 and held.lease_until > clock_timestamp()";

export function createAccountStore(database: Database): AccountStore {
  return {
    async acquire(accountId, platform, holder, ttlMs, capabilities) {
      const [row] = await database.query<LeaseRow>({
        text: `
          insert into account as held (account_id, platform, holder, fence, lease_until, capabilities)
          values ($1, $2, $3, 1, ${leaseEnd("$4")}, $5::jsonb)
          on conflict (account_id) do update
            set platform = excluded.platform, holder = excluded.holder, lease_until = excluded.lease_until,
                capabilities = excluded.capabilities,
                connection = case when ${isStillOurs} then held.connection else '{}' end,
                fence = held.fence + case when ${isStillOurs} then 0 else 1 end
            where held.holder is null or held.holder = $3 or held.lease_until <= clock_timestamp()
          returning account_id, fence`,
        values: [accountId, platform, holder, ttlMs, toJson(capabilities ?? {})],
      });
      return row && toLease(row);
    },

    async renew(holder, ttlMs) {
      const rows = await database.query<LeaseRow>({
        name: "renew_accounts",
        text: `
          with quick as materialized (select set_config('synchronous_commit', 'off', true))
          update account set lease_until = ${leaseEnd("$2")} from quick where holder = $1
          returning account_id, fence`,
        values: [holder, ttlMs],
      });
      return rows.map(toLease);
    },

    async release({ accountId, fence }) {
      await database.query({
        text: "update account set holder = null, lease_until = null where account_id = $1 and fence = $2",
        values: [accountId, fence],
      });
    },

    async capabilities(accountId) {
      const [row] = await database.query<{ readonly capabilities: unknown }>({
        name: "account_capabilities",
        text: "select capabilities from account where account_id = $1",
        values: [accountId],
      });
      return row?.capabilities ?? {};
    },

    async report({ accountId, fence }, connection) {
      await database.query({
        name: "report_account",
        text: `
          with quick as materialized (select set_config('synchronous_commit', 'off', true))
          update account set connection = $3::jsonb from quick
           where account_id = $1 and fence = $2 and holder is not null`,
        values: [accountId, fence, toJson(connection)],
      });
    },

    list: () => listAccounts(database),
  };
}

interface Row {
  readonly account_id: AccountId;
  readonly platform: Platform;
  readonly holder: ProcessId | null;
  readonly fence: string;
  readonly lease_until: Date | null;
  readonly connection: AccountRow["connection"];
  readonly pending: number;
  readonly held: AccountRow["held"] | null;
}

/** The oldest texts say why: an account may have many, and nothing overtakes them in their conversations. */
const heldText = `
  select case when count(*) > 0 then json_strip_nulls(json_build_object(
           'code', (array_agg(failure ->> 'code' order by failure ->> 'at' desc))[1],
           'reason', (array_agg(failure ->> 'reason' order by failure ->> 'at' desc))[1],
           'since', min(failure ->> 'since'),
           'triedAt', max(failure ->> 'at'),
           'nextAt', to_char(min(next_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'isOutage', not exists (select from outbox as other
                                    where other.account_id = account.account_id and other.state = 'sent'
                                      and other.settled_at > min((failure ->> 'since')::timestamptz)))) end
    from (select next_at, jsonb_path_query_first(parts, '$[*].lastFailure') as failure
            from outbox
           where outbox.account_id = account.account_id and state = 'pending'
           order by id limit 1000) as oldest
   where failure is not null`;

/** An account whose lease has ended has no holder. */
export async function listAccounts(database: Database): Promise<readonly AccountRow[]> {
  const rows = await database.query<Row>({
    text: `select account_id, platform, fence, connection,
                  case when lease_until > clock_timestamp() then holder end as holder,
                  case when lease_until > clock_timestamp() then lease_until end as lease_until,
                  (select count(*)::float8 from outbox
                    where outbox.account_id = account.account_id and state = 'pending') as pending,
                  (${heldText}) as held
             from account order by account_id`,
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    platform: row.platform,
    ...(row.holder === null ? {} : { holder: row.holder }),
    fence: Number(row.fence),
    ...(row.lease_until === null ? {} : { leaseEndsAt: instantOf(row.lease_until.getTime()) }),
    connection: row.connection,
    pendingDeliveries: row.pending,
    ...(row.held === null || row.held === undefined ? {} : { held: row.held }),
  }));
}

function toLease({ account_id, fence }: LeaseRow): AccountLease {
  return { accountId: account_id, fence: Number(fence) };
}
