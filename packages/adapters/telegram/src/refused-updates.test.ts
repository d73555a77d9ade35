import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AdapterStore } from "@talaria/adapter";
import { type Log, silentLog } from "@talaria/protocol";
import { hurriedClock, memoryStore, RecordingHost } from "@talaria/testkit";
import { RefusedUpdates } from "./refused-updates.ts";
import { open } from "./testing/world.ts";

const minute = 60_000;
const reason = new Error("the host refuses");

/** Updates refused on a clock that only moves by hand. */
async function make(store: AdapterStore = memoryStore()) {
  const time = { now: 0 };
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (_facts: object, words: string) => void errors.push(words) };
  const refused = new RefusedUpdates({
    store,
    log,
    clock: { now: () => time.now, elapsed: () => time.now, sleep: hurriedClock.sleep },
  });
  await refused.load();
  const refuse = async (id: number, times: number, othersWait = false) => {
    const answers = [];
    for (let n = 0; n < times; n += 1) answers.push(await refused.refused({ update_id: id }, reason, othersWait));
    return answers.at(-1);
  };
  return { refused, refuse, time, errors };
}

describe("an update that the host always refuses", () => {
  it("is put aside after ten attempts and ten minutes, not earlier", async () => {
    const store = memoryStore();
    const { refused, refuse, time, errors } = await make(store);
    assert.equal(await refuse(5, 50), false);
    time.now = 10 * minute - 1;
    assert.equal(await refuse(5, 1), false);
    time.now += 1;
    assert.equal(await refuse(5, 1), true);
    assert.equal(store.values.get("refused-5"), '{"update_id":5}');
    assert.ok(await refused.isParked({ update_id: 5 }));
    const later = { update_id: 5, message: {} };
    assert.ok(!(await refused.isParked(later)), "another update that got the same number");
    assert.equal(errors.length, 1);
    time.now += 60 * minute;
    assert.equal(await refuse(6, 9), false);
    assert.equal(await refuse(6, 100), false, "its ten minutes are not over");
  });

  it("is put aside soon when a hundred others wait behind it", async () => {
    const { refuse } = await make();
    assert.equal(await refuse(5, 4, true), false);
    assert.equal(await refuse(5, 1, true), true);
  });

  it("stays with Telegram while the store is away, and once twenty are put aside", async () => {
    const store = memoryStore();
    const { refused, refuse, time, errors } = await make(store);
    const write = store.write;
    Object.assign(store, { write: () => Promise.reject(new Error("the store is away")) });
    await refuse(1, 10);
    time.now = 10 * minute;
    assert.equal(await refuse(1, 1), false);
    Object.assign(store, { write });
    for (let id = 1; id <= 20; id += 1) await refuse(id, 5, true);
    for (let id = 1; id <= 20; id += 1) assert.ok(await refused.isParked({ update_id: id }), String(id));
    assert.equal(await refuse(21, 50, true), false);
    assert.match(errors.at(-1) ?? "", /Telegram keeps the others/);
    assert.ok(!(await refused.isParked({ update_id: 21 })));
  });

  it("can be offered again, by another process too, and is forgotten once it is taken", async () => {
    const store = memoryStore();
    const first = await make(store);
    for (const id of [5, 6]) await first.refuse(id, 5, true);
    const { refused } = await make(store);
    const offered: unknown[] = [];
    for (const updateId of refused.parked()) offered.push(await refused.read(updateId));
    await refused.taken(6);
    assert.deepEqual(offered, [{ update_id: 5 }, { update_id: 6 }]);
    assert.deepEqual([...store.values.keys()].sort(), ["refused-5", "refused-updates"]);
    assert.deepEqual(
      [await refused.isParked({ update_id: 5 }), await refused.isParked({ update_id: 6 })],
      [true, false],
    );
  });

  it("holds nobody up, and comes in when it is taken after all", async () => {
    await using world = await open();
    const { server, chat, ada, host } = world;
    const bob = server.user({ first_name: "Bob" });
    let isPoisonous = true;
    const accept = RecordingHost.prototype.accept.bind(host);
    host.accept = async (event) => {
      if (isPoisonous && "message" in event && event.message.markdown === "poison") throw reason;
      return accept(event);
    };
    chat.say(ada, "poison");
    chat.say(ada, "after it");
    const others = server.privateChat(bob);
    for (let n = 0; n < 150; n += 1) others.say(bob, `other ${n}`);
    const texts = () => host.events.map((event) => ("message" in event ? event.message.markdown : ""));
    await host.until(() => texts().includes("other 149") && texts().includes("after it"), "all others came in");
    assert.ok(!texts().includes("poison"));
    await host.until(() => server.pendingUpdates() === 0, "Telegram holds nothing back");
    isPoisonous = false;
    await world.adapter.stop();
    await world.adapter.start(host);
    await host.until(() => texts().includes("poison"), "it came in after a restart");
  });
});
