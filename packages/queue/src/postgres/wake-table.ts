import type { Clock, SessionKey } from "@talaria/protocol";
import type { SendWakes, Wake } from "../connections.ts";
import type { Link } from "./link.ts";

/** Unlogged: a crash of the server empties it, and the sweeper finds the sessions again. */
export const wakeTable = `
  create unlogged table if not exists wake (
    session_key text collate "C" primary key,
    n bigint generated always as identity
  );
  create index if not exists wake_n on wake (n)`;

const channel = "talaria_wakes";
/** How long repeated wake-ups of one sweep stay a single one. */
const sweepMs = 2_000;

const insert = `
  with added as (insert into wake (session_key) select unnest($1::text[]) on conflict do nothing returning n)
  select pg_notify('${channel}', '') where exists (select from added)`;

const take = `
  delete from wake
   where session_key = any(array(select session_key from wake order by n limit $1 for update skip locked))
  returning session_key`;

/** The wake-ups that no worker has taken yet: one row for each session. */
export interface WakeTable {
  /** False: the migrations have not run. */
  exists(): Promise<boolean>;
  readonly send: SendWakes;
  /** The oldest ones, which no other worker gets. */
  take(atMost: number): Promise<readonly SessionKey[]>;
  /** `news` is called when there may be something to take. Resolves when it will be. */
  watch(news: () => void): Promise<void>;
  unwatch(): Promise<void>;
}

export function createWakeTable(link: Link, clock: Clock): WakeTable {
  const swept = new Map<string, number>();

  /** The first of several sweeps that found a session in the same state. */
  function isFirst({ key, fence }: Wake): boolean {
    if (fence === undefined) return true;
    const now = clock.elapsed();
    // The oldest come first.
    for (const [id, at] of swept) {
      if (now - at < sweepMs) break;
      swept.delete(id);
    }
    const id = `${fence} ${key}`;
    if (swept.has(id)) return false;
    swept.set(id, now);
    return true;
  }

  return {
    async exists() {
      const text = "select to_regclass('wake') is not null and to_regclass('rest') is not null as found";
      const [row] = await link.query<{ found: boolean }>({ text });
      return row?.found ?? false;
    },
    async send(wakes) {
      const keys = wakes.filter(isFirst).map(({ key }) => key);
      if (keys.length > 0) await link.query({ name: "wake", text: insert, values: [keys] });
    },
    async take(atMost) {
      const rows = await link.query<{ session_key: SessionKey }>({ name: "take", text: take, values: [atMost] });
      return rows.map(({ session_key }) => session_key);
    },
    watch: (news) => link.listen(channel, news, news),
    unwatch: () => link.unlisten(channel),
  };
}
