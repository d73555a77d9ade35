import type { ProcessId } from "@talaria/protocol";

/** A process as it is registered. */
export interface ProcessLease {
  readonly id: ProcessId;
  readonly kind: "gateway" | "worker";
  readonly host: string;
  readonly pid: number;
  /** The `talaria start` that it belongs to; absent for one that runs by itself. */
  readonly supervisor?: string;
}

export interface ProcessQuery {
  readonly name?: string;
  readonly text: string;
  readonly values: (string | number | null)[];
}

/** `stats` is JSON; without it those of a row that is there stay. */
export function registerQuery(
  { id, kind, host, pid, supervisor }: ProcessLease,
  ttlMs: number,
  stats?: string,
): ProcessQuery {
  return {
    text: `
      insert into process (id, kind, host, pid, supervisor, lease_until, stats)
      values ($1, $2, $3, $4, $5, clock_timestamp() + $6::integer * interval '1 millisecond', coalesce($7::jsonb, '{}'))
      on conflict (id) do update
        set kind = excluded.kind, host = excluded.host, pid = excluded.pid, supervisor = excluded.supervisor,
            lease_until = excluded.lease_until, stats = coalesce($7::jsonb, process.stats)`,
    values: [id, kind, host, pid, supervisor ?? null, ttlMs, stats ?? null],
  };
}

/** Answers one row, or none when the lease had ended before. `stats` is JSON; null leaves what is there. */
export function renewQuery(id: ProcessId, ttlMs: number, stats: string | null): ProcessQuery {
  return {
    name: "renew_process",
    text: `
      with quick as materialized (select set_config('synchronous_commit', 'off', true))
      update process
         set lease_until = clock_timestamp() + $2::integer * interval '1 millisecond', stats = coalesce($3::jsonb, stats)
        from quick
       where id = $1 and lease_until > clock_timestamp()
      returning id`,
    values: [id, ttlMs, stats],
  };
}

/**
 * Frees everything that was held in the process's name: sessions hang on its row, accounts name it. A worker holds no account, and its
 * role may change none.
 */
export function retireQuery(id: ProcessId, kind: ProcessLease["kind"]): ProcessQuery {
  const gone = "delete from process where id = $1";
  const free = "update account set holder = null, lease_until = null where holder = $1";
  return { text: kind === "worker" ? gone : `with gone as (${gone}) ${free}`, values: [id] };
}
