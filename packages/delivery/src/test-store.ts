import { after, before } from "node:test";
import {
  type AccountId,
  brandAs,
  type Choice,
  type DeliveryKey,
  instantOf,
  type ProcessId,
  type SessionKey,
  type Settlement,
  systemClock,
  type TurnId,
} from "@talaria/protocol";
import type { AccountLease, OutboxPart, OutboxRow, OutboxText, OutboxUpdate, Preview } from "@talaria/store";
import { createSimulatedClock, type SimulatedClock } from "@talaria/testkit";
import pg from "pg";
import {
  accountId,
  claim,
  conversationOf,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  startOf,
  type TestStore,
  textOf,
} from "../../store/src/test-store.ts";
import type { DeliveryDeps } from "./context.ts";

type DeliveryOutbox = DeliveryDeps["outbox"];

export interface StoredRow {
  readonly conversation: string;
  readonly state: OutboxUpdate["state"];
  readonly error: string | undefined;
  readonly parts: readonly OutboxPart[] | undefined;
}

/** The store of one test file, with its database. `fresh` empties it for the next test. */
export function useStore(): { fresh(): Promise<StoredOutbox> } {
  let store: TestStore;
  let client: pg.Client;
  before(async () => {
    store = await createTestStore();
    client = new pg.Client({ connectionString: store.url });
    client.on("error", () => undefined);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await store[Symbol.asyncDispose]();
  });
  return {
    async fresh() {
      await client.query("delete from outbox; delete from preview; delete from turn; update account set holder = null");
      return new StoredOutbox(store, client, await newAccountLease(store.store));
    },
  };
}

/**
 * The real outbox of one account on a simulated clock: when its clock moves, the times in the database move along. What the
 * delivery asks of it is watched, so that time stands still meanwhile.
 */
export class StoredOutbox {
  readonly clock: SimulatedClock;
  readonly port: DeliveryOutbox;
  readonly updates: OutboxUpdate[] = [];
  lease: AccountLease;
  /** Called before each write takes effect, and after it. */
  around: (when: "before" | "after") => Promise<void> = async () => undefined;
  /** What else is under way, apart from the store: time stands still until it resolves. Whether there was anything. */
  rest: () => Promise<boolean> = async () => false;
  /** Takes the place of `update`. */
  update: DeliveryOutbox["update"];
  readonly #store: TestStore;
  readonly #client: pg.Client;
  readonly #asked = new Set<Promise<unknown>>();
  #put = 0;
  #skippedMs = 0;

  constructor(store: TestStore, client: pg.Client, lease: AccountLease) {
    this.#store = store;
    this.#client = client;
    this.lease = lease;
    const { outbox } = store.store;
    const sim = createSimulatedClock(Date.now());
    const own = {
      now: { value: () => sim.now() + this.#skippedMs },
      elapsed: { value: () => sim.elapsed() + this.#skippedMs },
      advance: { value: (ms: number) => this.#advance(sim, ms) },
    };
    this.clock = Object.create(sim, own) as SimulatedClock;
    this.update = (by, change) => outbox.update(by, change);
    this.port = {
      ...outbox,
      due: (by, inFlight, limit) => this.#watch(outbox.due(by, inFlight, limit).then((rows) => this.#onClock(rows))),
      toRead: (leases) => this.#watch(outbox.toRead(leases)),
      preview: (turnId) => this.#watch(outbox.preview(turnId)),
      add: (texts) => this.#watch(outbox.add(texts)),
      question: (key) => this.#watch(outbox.question(key)),
      replaced: (row) => this.#watch(outbox.replaced(row)),
      hurry: (by, which) => this.#watch(outbox.hurry(by, which)),
      abandonedPreviews: (account, turnIds) => this.#watch(outbox.abandonedPreviews(account, turnIds)),
      forgetPreview: (by, turnId) => this.#write(() => outbox.forgetPreview(by, turnId)),
      savePreview: (by, turnId, preview) => this.#write(() => outbox.savePreview(by, turnId, preview)),
      update: (by, change) =>
        this.#write(async () => {
          const outcome = await this.update(by, change);
          this.updates.push(change);
          return outcome;
        }),
    };
  }

  async put(conversation: string, markdown: string, more: Partial<OutboxText> = {}): Promise<void> {
    this.#put += 1;
    const deliveryKey = brandAs<DeliveryKey>(`key-${this.#put}`);
    const text = { deliveryKey, kind: "notice", conversation: conversationOf(conversation), markdown } as const;
    await this.#store.store.outbox.add([{ attachments: [], ...text, ...more }]);
  }

  async addAll(texts: readonly OutboxText[]): Promise<void> {
    await this.#store.store.outbox.add(texts);
  }

  /** As `talaria retry` does. Answers with how many texts go out again. */
  async retry(sessionKey: SessionKey): Promise<number> {
    return await this.#watch(this.#store.store.operations.retryUndelivered(sessionKey));
  }

  /** Returns the id of the row. */
  async add(text: OutboxText): Promise<number> {
    await this.#store.store.outbox.add([text]);
    const found = await this.#client.query("select id::integer from outbox where delivery_key = $1", [
      text.deliveryKey,
    ]);
    return found.rows[0].id;
  }

  /** All rows in the order in which they were put. */
  async rows(): Promise<readonly StoredRow[]> {
    const { rows } = await this.#client.query("select conversation_id, state, error, parts from outbox order by id");
    return rows.map(({ conversation_id, state, error, parts }) => {
      return { conversation: conversation_id, state, error: error ?? undefined, parts: parts ?? undefined };
    });
  }

  async isPending(): Promise<boolean> {
    return (await this.count("pending")) > 0;
  }

  async count(state: StoredRow["state"]): Promise<number> {
    const { rows } = await this.#client.query("select count(*)::integer from outbox where state = $1", [state]);
    return rows[0].count;
  }

  preview(turnId: TurnId): Promise<Preview | undefined> {
    return this.#store.store.outbox.preview(turnId);
  }

  /** Time passes unseen, as while a machine sleeps. */
  async skip(ms: number): Promise<void> {
    this.#skippedMs += ms;
    await this.#move(ms);
  }

  /** The lease of a further account. */
  async otherLease(name: string, forMs = 60_000): Promise<AccountLease> {
    const holder = brandAs<ProcessId>("gateway-1");
    const lease = await this.#store.store.accounts.acquire(brandAs<AccountId>(name), "loopback", holder, forMs);
    if (lease === undefined) throw new Error(`somebody else holds ${name}`);
    return lease;
  }

  /** Another gateway takes the account. */
  async takeAway(): Promise<void> {
    await this.#watch(this.#client.query("update account set fence = fence + 1 where account_id = $1", [accountId]));
  }

  /** A gateway that takes the account over writes with this lease from now on. */
  async takeOver(): Promise<AccountLease> {
    await this.takeAway();
    this.lease = { ...this.lease, fence: this.lease.fence + 1 };
    return this.lease;
  }

  /** Ends this turn without a text, as when somebody stops it. */
  async abort(turnId: TurnId, conversation: string, outcome: "aborted" | "failed" = "aborted"): Promise<void> {
    const { store } = this.#store;
    await store.inbox.record(entryOf(`${turnId}:${this.lease.fence}`, conversation));
    const found = await claim(store, conversation, await newWorker(store));
    await store.turns.begin(found.lease, { ...startOf(found), turnId });
    await store.turns.commit(found.lease, { turnId, outcome, entries: [], outbox: [] });
  }

  /** What a stop stores of the answer of this turn: see `stopped-answers.sql`. */
  async withhold(turnId: TurnId): Promise<void> {
    const text = `update outbox set body = body || '{"stopped": "withheld"}' where turn_id = $1`;
    await this.#watch(this.#client.query(text, [turnId]));
  }

  /** A turn whose calls ask so much, each in a text of its own. Ends it as somebody does who writes `/stop`, or is ended before. */
  async askAll(conversation: string, questions: readonly string[], isStopped = false): Promise<() => Promise<void>> {
    const { store } = this.#store;
    await store.inbox.record(entryOf(`asking-${conversation}`, conversation));
    const found = await claim(store, conversation, await newWorker(store));
    const start = startOf(found);
    await store.turns.begin(found.lease, start);
    const { turnId } = start;
    const asks = questions.map((markdown, n) => {
      const [id, callId] = [`${conversation}${n}`, `call-${n}`];
      const deliveryKey = brandAs<DeliveryKey>(`ask:${turnId}:${callId}`);
      const call = { id, callId, name: "deploy", arguments: "{}", waitsFor: "approval", shown: markdown } as const;
      const text = textOf(deliveryKey, conversation, { markdown });
      return { ask: { ...call, askers: [], expiresAt: instantOf(Date.now() + 3_600_000) }, texts: [text] };
    });
    const { sessionKey } = found.lease;
    const stop = async () => {
      const event = eventOf(`stop-${conversation}`, conversation, "/stop");
      const effect = { kind: "stop", sessionKey } as const;
      await store.inbox.settle({ event, outcome: "command", reason: "command:stop", effect });
    };
    if (isStopped) await stop();
    await store.turns.append(found.lease, turnId, [], asks);
    return stop;
  }

  /** Calls of a turn here ask somebody in one message; their turn is over. */
  async askList(ids: readonly string[], conversation: string): Promise<void> {
    const each = ids.flatMap((id, n) => [
      { id: `approve-${id}`, label: `approve ${n + 1}`, row: n + 1 },
      { id: `deny-${id}`, label: `deny ${n + 1}`, row: n + 1 },
    ]);
    const all = { id: `approveall-${ids[0]}-0123456789ab`, label: "approve all", row: ids.length + 1 };
    await this.#askAbout(ids, conversation, "May I?", [...each, all]);
  }

  /** A call of a turn here asks somebody; its turn is over. Answers with its key. */
  async ask(id: string, conversation: string, markdown = "May I?"): Promise<DeliveryKey> {
    const choices = ["approve", "deny"].map((name) => ({ id: `${name}-${id}`, label: name }));
    return await this.#askAbout([id], conversation, markdown, choices);
  }

  async #askAbout(
    ids: readonly string[],
    conversation: string,
    markdown: string,
    choices: readonly Choice[],
  ): Promise<DeliveryKey> {
    const { store } = this.#store;
    await store.inbox.record(entryOf(`${ids[0]}:${this.lease.fence}`, conversation));
    const found = await claim(store, conversation, await newWorker(store));
    const { turnId } = startOf(found);
    await store.turns.begin(found.lease, startOf(found));
    const deliveryKey = brandAs<DeliveryKey>(`ask:${turnId}:c0`);
    const text = { deliveryKey, kind: "notice", markdown, attachments: [], choices } as const;
    const texts = [{ ...text, conversation: conversationOf(conversation) }];
    const asks = ids.map((id, n) => {
      const call = { id, callId: `c${n}`, name: "pay", arguments: "{}", waitsFor: "approval", shown: "pay" } as const;
      const ask = { ...call, askers: [], expiresAt: instantOf(Date.now() + 3_600_000) };
      return n === 0 ? { ask, texts } : { ask };
    });
    await store.turns.append(found.lease, turnId, [], asks);
    await store.turns.commit(found.lease, { turnId, outcome: "completed", entries: [], outbox: [] });
    return deliveryKey;
  }

  /** Somebody decides that call, other than by its buttons. */
  async decide(id: string, conversation: string, settlement: Settlement, by?: string, takesBack?: true): Promise<void> {
    const { sender } = entryOf("by", conversation).event;
    const decision = {
      id,
      sessionKey: keyOf(conversation),
      settlement,
      ...(by && { by: { ...sender, displayName: by } }),
      ...(takesBack && { takesBack }),
    };
    await this.#store.store.calls.settle(decision);
  }

  /** The operator's rules deny it by now. */
  async forbid(id: string, conversation: string): Promise<void> {
    await this.#store.store.calls.forbid({ id, sessionKey: keyOf(conversation) }, "Never.");
  }

  #onClock(rows: readonly OutboxRow[]): readonly OutboxRow[] {
    const aheadMs = this.clock.elapsed() - systemClock.elapsed();
    return rows.map((row) => ({ ...row, committedAt: row.committedAt + aheadMs }));
  }

  async #advance(sim: SimulatedClock, ms: number): Promise<void> {
    const end = sim.now() + ms;
    await this.#settled();
    while (sim.now() < end || sim.nextIn() === 0) {
      const stepMs = Math.min(sim.nextIn() ?? ms, end - sim.now());
      if (stepMs > 0) await this.#move(stepMs);
      await sim.advance(stepMs);
      await this.#settled();
    }
  }

  async #move(ms: number): Promise<void> {
    const text = `
      update outbox set next_at = next_at - passed, created_at = created_at - passed
        from (select $1 * interval '1 millisecond' as passed) as time
       where state = 'pending'`;
    await this.#client.query(text, [ms]);
  }

  /** Nothing happens any more until time moves on. */
  async #settled(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#asked.size > 0) quiet = -1;
      await Promise.allSettled(this.#asked);
      if (await this.rest()) quiet = -1;
    }
  }

  async #watch<Value>(asked: Promise<Value>): Promise<Value> {
    this.#asked.add(asked);
    try {
      return await asked;
    } finally {
      this.#asked.delete(asked);
    }
  }

  async #write<Outcome>(write: () => Promise<Outcome>): Promise<Outcome> {
    await this.around("before");
    const outcome = await this.#watch(write());
    await this.around("after");
    return outcome;
  }
}
