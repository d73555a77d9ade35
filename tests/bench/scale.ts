import { setTimeout } from "node:timers/promises";
import {
  type AccountId,
  brandAs,
  type DeliveryKey,
  type ProcessId,
  type SessionKey,
  silentLog,
  systemClock,
  turnIdOf,
  type UserId,
} from "@talaria/protocol";
import { createQueue, migrateQueue } from "@talaria/queue";
import type { AccountLease, ClaimLimits, Store } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { startSweeper } from "../../apps/worker/src/sweeper.ts";
import { type EmbeddedStore, startEmbeddedStore } from "./embedded-store.ts";
import type { Figure } from "./main.ts";
import { fillEntries, fillMessages, fillWaiting } from "./scale-rows.ts";
import { describeMs, quantile } from "./statistics.ts";

/** Messages that the database holds; everything else follows from it. */
const rows = Number(process.env.TALARIA_BENCH_ROWS ?? 1_000_000);
/** Of the first measure; the first round warms up. */
const rounds = 8;
const messagesOfRound = 40;
const workerId = brandAs<ProcessId>("bench-worker");
const limits: ClaimLimits = {
  historyEntries: 400,
  // As the worker reads for a model with 128,000 tokens of context.
  historyBytes: 512_000,
  pendingEvents: 50,
  givenUpMarkdown: "Given up.",
};

/** What grows with the age of an installation, and must not. */
export async function scale(): Promise<readonly Figure[]> {
  await using large = await startEmbeddedStore(6);
  await large.store.processes.register({ id: workerId, kind: "worker", host: "bench", pid: 1 }, 3_600_000);
  await fillMessages(large.client, 0, rows, 10);
  return [
    await costs(large.store),
    await search(large.store),
    await longHistory(large),
    await rearm(large),
    await prune(large),
  ];
}

/** In turn with a small database, so that other work on the machine slows both down. */
async function costs(large: Store): Promise<Figure> {
  const few = rows / 100;
  await using small = await startEmbeddedStore(6);
  await small.store.processes.register({ id: workerId, kind: "worker", host: "bench", pid: 1 }, 3_600_000);
  await fillMessages(small.client, 0, few, 10);
  const samples = { small: new Samples(), large: new Samples() };
  for (let round = 0; round <= rounds; round += 1) {
    const [toSmall, toLarge] = round === 0 ? [new Samples(), new Samples()] : [samples.small, samples.large];
    await sendMessages(small.store, few / 10, toSmall);
    await sendMessages(large, rows / 10, toLarge);
  }
  const ratio = samples.large.total() / samples.small.total();
  return {
    measure: `store's time for one message, ${rows} messages stored instead of ${few}`,
    reach: "1.1 x",
    value: `${ratio.toFixed(2)} x (${samples.small.describe()}; then ${samples.large.describe()})`,
  };
}

/** How long each step took, in milliseconds. */
class Samples {
  readonly #steps = new Map<string, number[]>();

  async timed<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    const result = await work();
    const ms = performance.now() - begun;
    const known = this.#steps.get(step);
    if (known === undefined) this.#steps.set(step, [ms]);
    else known.push(ms);
    return result;
  }

  /** The sum of the medians. */
  total(): number {
    return this.#medians().reduce((sum, [, ms]) => sum + ms, 0);
  }

  describe(): string {
    const parts = this.#medians().map(([step, ms]) => `${step} ${ms.toFixed(2)}`);
    return `${this.total().toFixed(1)} ms: ${parts.join(", ")}`;
  }

  #medians(): readonly (readonly [string, number])[] {
    return [...this.#steps].map(([step, sample]) => [step, quantile(sample, 0.5)] as const);
  }
}

/** One message after the other, in sessions that exist. */
async function sendMessages(store: Store, sessions: number, samples: Samples): Promise<void> {
  const account = await accountLease(store);
  for (let n = 0; n < messagesOfRound; n += 1) {
    const sessionKey = brandAs<SessionKey>(`bench/old-${Math.floor(Math.random() * sessions)}`);
    const event = messageFrom({ account: "bench", text: "hello" });
    const route = event.conversation;
    await samples.timed("record", () =>
      store.inbox.record({ sessionKey, event, route, mode: "queue", role: "member" }),
    );
    const claim = await samples.timed("claim", () => store.turns.claim(sessionKey, workerId, limits));
    if (claim === undefined) throw new Error("nothing to claim");
    const { lease, pending } = claim;
    const turnId = turnIdOf(sessionKey, pending[0]?.seq ?? 0);
    const take = pending.map(({ seq }) => seq);
    const start = { turnId, take, drop: [], route, entries: [{ kind: "note" }], prompt: "be kind" };
    await samples.timed("begin", () => store.turns.begin(lease, start));
    await samples.timed("append", () => store.turns.append(lease, turnId, [{ kind: "note" }]));
    const deliveryKey = brandAs<DeliveryKey>(`reply:${turnId}`);
    const text = {
      deliveryKey,
      kind: "reply",
      conversation: route,
      markdown: "hello",
      attachments: [],
      turnId,
    } as const;
    const end = { turnId, outcome: "completed", entries: [{ kind: "note" }], outbox: [text] } as const;
    await samples.timed("commit", () => store.turns.commit(lease, end));
    const due = await samples.timed("due", () => store.outbox.due(account, [], 100));
    for (const { id } of due)
      await samples.timed("update", () => store.outbox.update(account, { id, state: "sent", parts: [] }));
  }
}

async function accountLease(store: Store): Promise<AccountLease> {
  const holder = brandAs<ProcessId>("bench-gateway");
  const lease = await store.accounts.acquire(brandAs<AccountId>("bench"), "loopback", holder, 3_600_000);
  if (lease === undefined) throw new Error("the account is held");
  return lease;
}

/** Where a member may send something, and an owner. */
async function search({ operations }: Store): Promise<Figure> {
  const timed = async (query: Parameters<typeof operations.places>[0]) => {
    const waits: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      const begun = performance.now();
      await operations.places(query);
      waits.push(performance.now() - begun);
    }
    return describeMs(waits);
  };
  const participants = [{ accountId: brandAs<AccountId>("bench"), userId: brandAs<UserId>("nobody") }];
  const ofMember = await timed({ participants, limit: 20 });
  const ofOwner = await timed({ name: "zoe", limit: 20 });
  return {
    measure: "conversations of a member, and of an owner by a name, among the newest 20,000",
    reach: "500 ms",
    value: `${ofMember}; ${ofOwner}`,
  };
}

/** 400 turns of 100 kB each. */
async function longHistory({ store, client }: EmbeddedStore): Promise<Figure> {
  const event = messageFrom({ account: "bench", text: "and now?" });
  const sessionKey = brandAs<SessionKey>("bench/long");
  await store.inbox.record({ sessionKey, event, route: event.conversation, mode: "queue", role: "member" });
  await client.query(
    `insert into entry (session_key, generation, turn_id, kind, body)
     select $1, 1, 'long-' || n, 'note',
            json_build_object('kind', 'note', 'text', (select string_agg(md5(n || '-' || m), '') from generate_series(1, 3125) as m))
       from generate_series(1, 400) as n`,
    [sessionKey],
  );
  const waits: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    const begun = performance.now();
    const claim = await store.turns.claim(sessionKey, workerId, limits);
    waits.push(performance.now() - begun);
    if (claim !== undefined) await store.turns.handOver(claim.lease);
  }
  const first = waits[0]?.toFixed(1);
  return { measure: "claim with 40 MB of history", reach: "30 ms", value: `first ${first} ms, ${describeMs(waits)}` };
}

/** From the loss of every wake-up until each waiting session has one again. */
async function rearm({ url, store, client }: EmbeddedStore): Promise<Figure> {
  const sessions = rows / 10;
  await fillWaiting(client, sessions);
  const backend = { kind: "postgres", url } as const;
  await migrateQueue(backend);
  const queue = await createQueue({
    backend,
    role: "worker",
    processId: workerId,
    log: silentLog,
    clock: systemClock,
    random: Math.random,
  });
  const begun = performance.now();
  const sweeper = startSweeper(store.turns, queue.wakes, 10_000, Math.random, silentLog);
  const woken = async () => (await client.query("select count(*)::integer as count from talaria_queue.wake")).rows[0];
  while ((await woken()).count < sessions) await setTimeout(100);
  const seconds = (performance.now() - begun) / 1_000;
  await sweeper.stop();
  await queue.close();
  await client.query("delete from inbox where session_key like 'bench/waits-%'");
  return { measure: `${sessions} waiting sessions woken again`, reach: "10 s", value: `${seconds.toFixed(1)} s` };
}

/** Old rows beside many entries that stay. */
async function prune({ store, client }: EmbeddedStore): Promise<Figure> {
  const old = rows / 10;
  const kept = rows * 10;
  await fillEntries(client, 0, rows, 8, 10);
  await fillMessages(client, rows, rows + old, 100);
  const longest = watchStatements(client);
  const begun = performance.now();
  const { removed, failed } = await store.operations.prune(90, new AbortController().signal);
  const seconds = (performance.now() - begun) / 1_000;
  return {
    measure: `prune of what ${old} old messages left, beside ${kept} entries`,
    reach: "60 s, no statement above 1 s",
    value: `${removed} rows in ${seconds.toFixed(1)} s, longest statement ${await longest()} ms, failed: ${failed.join(", ") || "none"}`,
  };
}

/** Looks often how long the statement runs that runs now. */
function watchStatements(client: EmbeddedStore["client"]): () => Promise<string> {
  let isWatching = true;
  let longest = 0;
  const watching = (async () => {
    while (isWatching) {
      const { rows: found } = await client.query(
        `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
           from pg_stat_activity where state = 'active' and application_name = 'talaria' and datname = current_database()`,
      );
      longest = Math.max(longest, found[0].ms);
      await setTimeout(10);
    }
  })();
  return async () => {
    isWatching = false;
    await watching;
    return longest.toFixed(0);
  };
}
