import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Conversation } from "@talaria/protocol";
import { brandAs, GatewayError, type SessionKey, type StreamFrame, silentLog, type TurnId } from "@talaria/protocol";
import { lineOf } from "./activity.ts";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const sessionKey = brandAs<SessionKey>("acct/a");
const store = useStore();

type Step = StreamFrame extends infer Frame
  ? Frame extends StreamFrame
    ? Omit<Frame, "accountId" | "sessionKey" | "turnId" | "fence" | "n">
    : never
  : never;

class TypingPlatform extends TestPlatform {
  readonly words: (string | undefined)[] = [];

  override async setTyping(conversation: Conversation, _?: AbortSignal, doing?: string): Promise<void> {
    this.words.push(doing);
    await super.setTyping(conversation);
  }
}

async function setUp(changes: CapabilityChanges = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TypingPlatform(clock, changes);
  const deps = { clock, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const delivery = createDelivery({ outbox: outbox.port, turns: { partial: async () => undefined }, ...deps });
  delivery.attach(platform, outbox.lease);
  let n = 0;
  const frame = async (step: Step) => {
    delivery.frame({ ...step, accountId, sessionKey, turnId, fence: 1, n });
    n += 1;
    await clock.advance(0);
  };
  await frame({ type: "started", conversation: conversationOf("a") });
  const does = (label: string) => frame({ type: "status", label });
  const says = (offset: number, text: string) => frame({ type: "delta", offset, text });
  const finish = async (markdown: string) => {
    await outbox.put("a", markdown, { kind: "reply", turnId, sessionKey });
    delivery.poke(accountId);
    await clock.advance(100);
  };
  /** So much time in which the worker says what it does, as it does every ten seconds. */
  const goesOn = async (label: string, seconds: number) => {
    for (let second = 0; second < seconds; second += 10) {
      await clock.advance(10_000);
      await does(label);
    }
  };
  return { clock, platform, frame, does, says, finish, goesOn, shown: () => platform.shown("a") };
}

describe("what a turn does", () => {
  it("shows as a line of its own once it takes a while, and is gone with the answer", async () => {
    const { clock, platform, does, finish, goesOn, shown } = await setUp();
    await does("running npm test");
    await clock.advance(4_000);
    assert.deepEqual(shown(), []);
    await clock.advance(2_000);
    assert.deepEqual(shown(), ["_⏳ running npm test_"]);
    await goesOn("running npm test", 40);
    assert.deepEqual(shown(), ["_⏳ running npm test, 40 s_"]);
    await goesOn("running npm test", 90);
    assert.deepEqual(shown(), ["_⏳ running npm test, 2 min_"]);
    const calls = platform.count("send") + platform.count("edit");
    assert.ok(calls <= 6, `${calls} calls in two minutes`);
    await finish("All 40 tests pass.");
    assert.deepEqual(shown(), ["All 40 tests pass."]);
  });

  it("makes room for an answer that notifies people, and becomes the answer where it can't be taken away", async () => {
    const { platform, clock, does, finish, shown } = await setUp();
    await does("running npm test");
    await clock.advance(6_000);
    await finish("Done.");
    assert.deepEqual([shown(), platform.count("delete"), platform.count("send")], [["Done."], 1, 2]);
    for (const outcome of ["lost-before", "lost-after", new GatewayError("no", { code: "forbidden" })] as const) {
      const stuck = await setUp();
      stuck.platform.decide = (kind) => (kind === "delete" ? outcome : "ok");
      await stuck.does("running npm test");
      await stuck.clock.advance(6_000);
      await stuck.finish("Done.");
      await stuck.clock.advance(5_000);
      assert.deepEqual(stuck.shown(), ["Done."], String(outcome));
    }
    const spoken = await setUp();
    await spoken.says(0, "I run the tests.");
    await spoken.does("running npm test");
    await spoken.clock.advance(6_000);
    await spoken.finish("I run the tests.\n\nDone.");
    assert.deepEqual([spoken.shown(), spoken.platform.count("delete")], [["I run the tests.\n\nDone."], 0]);
  });

  it("stands below what was said so far, follows the next step at once, and leaves with the next words", async () => {
    const { clock, does, says, shown } = await setUp();
    await says(0, "I run the tests.");
    await does("running npm test");
    await clock.advance(6_000);
    assert.deepEqual(shown(), ["I run the tests.\n\n_⏳ running npm test_"]);
    await does("reading report.txt");
    await clock.advance(1_000);
    assert.deepEqual(shown(), ["I run the tests.\n\n_⏳ reading report.txt_"]);
    await says(16, "\n\nThey pass.");
    await clock.advance(1_000);
    assert.deepEqual(shown(), ["I run the tests.\n\nThey pass."]);
  });

  it("says that it waits where the turn asks somebody, and nothing where nothing was shown", async () => {
    const shownBefore = await setUp();
    await shownBefore.does("running npm test");
    await shownBefore.clock.advance(6_000);
    await shownBefore.frame({ type: "ended", status: "suspended" });
    await shownBefore.clock.advance(40_000);
    assert.deepEqual(shownBefore.shown(), ["_⏳ waiting for an answer_"]);
    const quick = await setUp();
    await quick.does("running npm test");
    await quick.frame({ type: "ended", status: "suspended" });
    await quick.clock.advance(40_000);
    assert.deepEqual(quick.shown(), []);
  });

  it("shows no line where messages can't change, nor where the typing signal has words", async () => {
    const changes: readonly CapabilityChanges[] = [{ edit: undefined }, { typing: { lastsMs: 5_000, words: true } }];
    for (const change of changes) {
      const { clock, does, shown } = await setUp(change);
      await does("running npm test");
      await clock.advance(20_000);
      assert.deepEqual(shown(), []);
    }
  });

  it("is said by a typing signal that has words, as they change and no faster than every three seconds", async () => {
    const { clock, platform, does, says } = await setUp({ typing: { lastsMs: 100_000, words: true } });
    await does("reading a.txt");
    for (const name of ["b", "c", "d", "e"]) {
      await clock.advance(500);
      await does(`reading ${name}.txt`);
    }
    await clock.advance(3_000);
    assert.deepEqual(platform.words, [undefined, "reading e.txt"]);
    await says(0, "Done.");
    await clock.advance(3_000);
    assert.deepEqual(platform.words, [undefined, "reading e.txt", undefined]);
    await clock.advance(20_000);
    assert.equal(platform.words.length, 3);
  });

  it("can't become markup, a second line, or long", () => {
    const line = lineOf({ label: `running echo **x** \`y\` _z_\n${"w".repeat(500)}`, since: 0 }, 5_000, false) ?? "";
    assert.match(line, /^_⏳ running echo \\\*\\\*x\\\*\\\* \\`y\\` \\_z\\_ w+…_$/);
    assert.ok(line.length < 150);
    assert.equal(lineOf({ label: " \n ", since: 0 }, 5_000, false), undefined);
  });
});
