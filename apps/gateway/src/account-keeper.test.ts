import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Adapter, AdapterHost } from "@talaria/adapter";
import type { Delivery } from "@talaria/delivery";
import { createTestDatabase } from "@talaria/postgres";
import {
  type AccountId,
  brandAs,
  type ErrorCode,
  GatewayError,
  type ProcessId,
  silentLog,
  systemClock,
} from "@talaria/protocol";
import { createQueue, migrateQueue, type QueueSystem } from "@talaria/queue";
import { createStore, migrate, type Store } from "@talaria/store";
import { waitFor } from "../../../tests/support/wait-for.ts";
import { AccountKeeper } from "./account-keeper.ts";
import { RouteTable } from "./http/route-table.ts";

const leaseMs = 900;

/** An account whose adapter does what the test says: each call takes the next plan, and the last plan stays. */
class TestAdapter implements Adapter {
  readonly platform = "loopback";
  readonly holding: Adapter["holding"];
  readonly capabilities = { maxTextChars: 4_000 } as unknown as Adapter["capabilities"];
  readonly id: AccountId;
  readonly starts: (() => Promise<void>)[] = [];
  readonly stops: (() => Promise<void>)[] = [];
  readonly calls: string[] = [];

  constructor(id: string, holding: Adapter["holding"] = "leased") {
    this.id = brandAs<AccountId>(id);
    this.holding = holding;
  }

  async start(host: AdapterHost): Promise<void> {
    this.calls.push("start");
    await this.starts.shift()?.();
    host.report({ status: "connected" });
  }

  async stop(): Promise<void> {
    this.calls.push("stop");
    await this.stops.shift()?.();
  }

  async send(): Promise<never> {
    throw new GatewayError("nothing is sent here", { code: "unavailable", effect: "none" });
  }
}

const fails = (code: ErrorCode) => async () => {
  throw new GatewayError(`a test failure: ${code}`, { code });
};

describe("the accounts of a gateway", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  let queue: QueueSystem;
  const gatewayId = brandAs<ProcessId>("gateway-1");
  const keepers: AccountKeeper[] = [];

  before(async () => {
    database = await createTestDatabase();
    await migrate(database.url, silentLog);
    const backend = { kind: "postgres", url: database.url } as const;
    await migrateQueue(backend);
    store = createStore({ url: database.url, log: silentLog, clock: systemClock, maxConnections: 4 });
    const deps = { log: silentLog, clock: systemClock, random: Math.random, processId: gatewayId };
    queue = await createQueue({ backend, role: "gateway", ...deps });
  });

  after(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await queue.close();
    await store.close();
    await database.drop();
  });

  function keeperWith(more: { store?: Partial<Store>; bus?: Partial<QueueSystem["bus"]>; id?: string } = {}) {
    const attached = new Set<AccountId>();
    const told: AccountId[] = [];
    const delivery = {
      attach: ({ id }: Adapter) => void attached.add(id),
      detach: async (id: AccountId) => void attached.delete(id),
      poke: () => undefined,
      connected: (id: AccountId) => void told.push(id),
      frame: () => undefined,
      seen: () => undefined,
      idle: async () => undefined,
    } satisfies Delivery;
    const keeper = new AccountKeeper({
      gatewayId: brandAs<ProcessId>(more.id ?? gatewayId),
      store: { ...store, ...more.store },
      queue: { bus: { ...queue.bus, ...more.bus } },
      delivery,
      media: { attach: () => undefined, poke: () => undefined, detach: async () => undefined },
      routes: new RouteTable(),
      gate: async () => "dropped",
      isAllowed: async () => true,
      received: async () => undefined,
      kindChanged: async () => undefined,
      added: async () => undefined,
      leftOut: () => undefined,
      leaseMs,
      signalled: () => undefined,
      receiptFailed: () => undefined,
      connectionChanged: () => undefined,
      clock: systemClock,
      random: () => 0,
      log: silentLog,
    });
    keepers.push(keeper);
    return { keeper, attached, told };
  }

  async function rowOf({ id }: Adapter) {
    return (await store.accounts.list()).find(({ accountId }) => accountId === id);
  }

  async function statusOf(adapter: Adapter): Promise<unknown> {
    return (await rowOf(adapter))?.connection.status;
  }

  const connected = (adapter: Adapter) =>
    waitFor(async () => (await statusOf(adapter)) === "connected", `${adapter.id} to be connected`);

  it("connects although the subscription to its signals fails, and subscribes later", async () => {
    const adapter = new TestAdapter("unheard");
    let attempts = 0;
    const onAccount: QueueSystem["bus"]["onAccount"] = async (id, receive) => {
      attempts += 1;
      if (attempts < 3) throw new GatewayError("the bus is away", { code: "unavailable" });
      return queue.bus.onAccount(id, receive);
    };
    const { keeper } = keeperWith({ bus: { onAccount } });
    await keeper.start([adapter]);
    await connected(adapter);
    assert.deepEqual(adapter.calls, ["start"]);
    await waitFor(() => attempts === 3, "the third attempt to subscribe");
  });

  for (const code of ["unavailable", "internal", "conflict", "rate_limited"] as const)
    it(`starts an adapter again that failed with ${code}`, async () => {
      const adapter = new TestAdapter(`failing-${code}`);
      adapter.starts.push(fails(code), fails(code));
      const { keeper, told } = keeperWith();
      await keeper.start([adapter]);
      await waitFor(async () => (await rowOf(adapter))?.connection.code === code, "the reason in its state");
      await connected(adapter);
      assert.deepEqual(told, [adapter.id], "delivery hears of it once");
      assert.deepEqual(adapter.calls, ["start", "stop", "start", "stop", "start"]);
    });

  for (const code of ["unauthorized", "invalid_request"] as const)
    it(`leaves an adapter to the operator that failed with ${code}`, async () => {
      const adapter = new TestAdapter(`refused-${code}`);
      adapter.starts.push(fails(code));
      const { keeper } = keeperWith();
      await keeper.start([adapter]);
      await waitFor(async () => (await statusOf(adapter)) === "needs-operator", "its state");
      assert.equal((await rowOf(adapter))?.connection.code, code);
      assert.deepEqual(adapter.calls, ["start"]);
    });

  it("renews its leases while one account takes for ever to stop", async () => {
    const [slow, other] = [new TestAdapter("slow"), new TestAdapter("other")];
    const forever = Promise.withResolvers<void>();
    slow.stops.push(() => forever.promise);
    let renewals = 0;
    const accounts: Store["accounts"] = {
      ...store.accounts,
      renew: async (...call) => {
        const leases = await store.accounts.renew(...call);
        renewals += 1;
        return leases;
      },
    };
    const id = "gateway-2";
    const { keeper, attached } = keeperWith({ store: { accounts }, id });
    await keeper.start([slow, other]);
    await Promise.all([connected(slow), connected(other)]);
    const thief = brandAs<ProcessId>("gateway-thief");
    await steal(slow.id, thief);
    await waitFor(() => slow.calls.includes("stop"), "the account to be let go");
    assert.deepEqual([...attached], [other.id], "nothing more is delivered for it");
    const before = renewals;
    await waitFor(() => renewals >= before + 4, "four more renewals");
    assert.equal((await rowOf(other))?.holder, id);
    await store.processes.retire(thief);
    const afterwards = renewals;
    await waitFor(() => renewals >= afterwards + 3, "three more renewals");
    assert.equal((await rowOf(slow))?.holder, undefined, "an account that cannot be connected here is left to others");
    forever.resolve();
    await connected(slow);
  });

  it("connects anew what another gateway had meanwhile, and shows nothing of what that one reported", async () => {
    const adapter = new TestAdapter("returned");
    const { keeper } = keeperWith();
    await keeper.start([adapter]);
    await connected(adapter);
    const thief = brandAs<ProcessId>("gateway-thief-2");
    const lease = await steal(adapter.id, thief);
    await waitFor(() => adapter.calls.includes("stop"), "the account to be let go");
    await store.accounts.report(lease, { status: "reconnecting", code: "stale" });
    await store.processes.retire(thief);
    await connected(adapter);
    assert.deepEqual(adapter.calls, ["start", "stop", "start"]);
    assert.equal((await rowOf(adapter))?.connection.code, undefined);
  });

  it("serves a shared account also without its lease, and delivers nothing for it", async () => {
    const adapter = new TestAdapter("shared", "shared");
    const other = brandAs<ProcessId>("gateway-other");
    await store.accounts.acquire(adapter.id, "loopback", other, 60_000);
    const { keeper, attached } = keeperWith();
    await keeper.start([adapter]);
    await waitFor(() => adapter.calls.length === 1, "its start");
    assert.equal(attached.size, 0);
    await store.processes.retire(other);
    await connected(adapter);
    assert.deepEqual([...attached], [adapter.id]);
    assert.deepEqual(adapter.calls, ["start"]);
  });

  /** As if the lease had ended and another gateway were quicker. */
  async function steal(id: AccountId, thief: ProcessId) {
    for (;;) {
      const row = (await store.accounts.list()).find(({ accountId }) => accountId === id);
      await store.accounts.release({ accountId: id, fence: row?.fence ?? 0 });
      const lease = await store.accounts.acquire(id, "loopback", thief, 60_000);
      // Its holder may be quicker.
      if (lease !== undefined) return lease;
    }
  }
});
