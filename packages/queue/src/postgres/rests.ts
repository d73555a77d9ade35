import type { Clock } from "@talaria/protocol";
import { within } from "../deadline.ts";
import type { Rests } from "../ports.ts";
import type { Link } from "./link.ts";

/** What rests and what has rested. Unlogged: after a crash of the server each worker learns anew. */
export const restTable = `
  create unlogged table if not exists rest (
    name text collate "C" primary key,
    until timestamptz not null
  )`;

const channel = "talaria_rests";
/** A model is not asked later because the server is slow. */
const answerMs = 250;
const subscribeMs = 5_000;
/** How many names are remembered, those whose rest ends last. */
const mostNames = 10_000;

/** In milliseconds, how long it is remembered that something has rested. */
const forgotten = "until < clock_timestamp() - interval '1 day'";
const later = "clock_timestamp() + $2::float8 * interval '1 millisecond'";

const write = `
  with told as (select pg_notify('${channel}', '')),
       swept as (delete from rest where ${forgotten} and name <> $1)
  insert into rest (name, until) select $1, ${later} from told
  on conflict (name) do update set until = excluded.until`;

/** Whoever finds the row free writes its own time there, so that all others find it taken. */
const take = `
  with taken as (update rest set until = ${later} where name = $1 and until <= clock_timestamp() returning name)
  select exists (select from taken) or not exists (select from rest where name = $1) as mine`;

const remove = `
  with gone as (delete from rest where name = $1 returning name)
  select pg_notify('${channel}', '') from gone`;

const all = `
  select name, extract(epoch from until - clock_timestamp())::float8 * 1000 as ms
    from rest where not ${forgotten} order by until desc limit ${mostNames}`;

export interface RestsDeps {
  readonly link: Link;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

/**
 * A table of what rests, and a copy of it in each worker that a notification renews: as long as nothing has rested, an answer
 * of a model costs no statement. The copy lives on while the server is away.
 */
export async function createPostgresRests({ link, clock, report }: RestsDeps): Promise<Rests> {
  /** By the clock of this process. */
  const until = new Map<string, number>();
  let isReading = false;
  let isStale = false;

  async function read(): Promise<void> {
    const rows = await link.query<{ name: string; ms: number }>({ name: "rests", text: all });
    until.clear();
    for (const { name, ms } of rows) until.set(name, clock.elapsed() + ms);
  }

  /** One reading at a time, and one more after news that came meanwhile. */
  async function renew(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        await read();
      }
    } catch (error) {
      report(error);
    } finally {
      isReading = false;
    }
  }

  const soon = <Result>(work: Promise<Result>) => within(work, answerMs, clock, "postgres does not answer at once");
  const leftOf = (name: string) => (until.get(name) ?? 0) - clock.elapsed();

  const listening = link.listen(
    channel,
    () => void renew(),
    () => void renew(),
  );
  await within(listening, subscribeMs, clock, "postgres did not take a subscription in time");
  await read();
  return {
    async rest(name, ms) {
      until.set(name, clock.elapsed() + ms);
      await soon(link.query({ name: "rest", text: write, values: [name, ms] }));
    },
    async resting(names) {
      return new Map(names.map((name) => [name, leftOf(name)] as const).filter(([, ms]) => ms > 0));
    },
    async probe(name, ms) {
      if (!until.has(name)) return true;
      if (leftOf(name) > 0) return false;
      const [row] = await soon(link.query<{ mine: boolean }>({ name: "probe", text: take, values: [name, ms] }));
      return row?.mine ?? true;
    },
    async recovered(name) {
      if (!until.delete(name)) return;
      await soon(link.query({ name: "recovered", text: remove, values: [name] }));
    },
  };
}
