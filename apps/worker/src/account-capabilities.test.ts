import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type AccountId, brandAs, type MessageCapabilities, type ProcessId, silentLog } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import { carefulCapabilities, createCapabilitiesReader } from "./account-capabilities.ts";
import { createTestStore, type TestStore } from "./worker.fixture.ts";

const wide: MessageCapabilities = {
  maxTextLength: 4_000,
  formatting: { headings: true, tables: true, codeBlocks: true, links: true },
  send: { maxBytes: 10, maxPerMessage: 1, maxCaptionLength: 100 },
};
const holder = brandAs<ProcessId>("gateway");

describe("what an account's platform can do", () => {
  let test: TestStore;

  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  function setUp() {
    const clock = createSimulatedClock();
    const { accounts } = test.store;
    const asked: AccountId[] = [];
    const counted = {
      capabilities: (id: AccountId) => {
        asked.push(id);
        return accounts.capabilities(id);
      },
    };
    const accountId = brandAs<AccountId>(randomUUID());
    const read = createCapabilitiesReader({ accounts: counted, clock, log: silentLog });
    const take = (capabilities?: MessageCapabilities) =>
      accounts.acquire(accountId, "loopback", holder, 60_000, capabilities);
    return { accounts, accountId, asked, clock, read: () => read(accountId), take };
  }

  it("is what the gateway stored when it took the account, without what only delivery needs", async () => {
    const { read, take } = setUp();
    await take({ ...wide, conversationPace: { burst: 1, refillMs: 1 } } as MessageCapabilities);
    assert.deepEqual(await read(), wide);
  });

  it("is little where nothing was stored: an unknown account, an older gateway, words of a newer one", async () => {
    const unknown = setUp();
    assert.deepEqual(await unknown.read(), carefulCapabilities);
    const older = setUp();
    await older.take();
    assert.deepEqual(await older.read(), carefulCapabilities);
    const newer = setUp();
    await newer.take({ ...wide, maxTextLength: "long" } as unknown as MessageCapabilities);
    assert.deepEqual(await newer.read(), carefulCapabilities);
  });

  it("stays as it is when another gateway asks for an account that is held", async () => {
    const { accounts, accountId, read, take } = setUp();
    await take(wide);
    const other = brandAs<ProcessId>("another");
    assert.equal(await accounts.acquire(accountId, "loopback", other, 60_000, carefulCapabilities), undefined);
    assert.deepEqual(await read(), wide);
  });

  it("is asked for once a minute", async () => {
    const { asked, clock, read, take } = setUp();
    await take();
    await read();
    await take(wide);
    assert.deepEqual(await read(), carefulCapabilities);
    await clock.advance(60_000);
    assert.deepEqual(await read(), wide);
    assert.equal(asked.length, 2);
  });
});
