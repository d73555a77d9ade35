import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, type Log } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const store = useStore();
const minuteMs = 60_000;
const refused = new GatewayError("no", { code: "unavailable", effect: "none", details: { network: "ECONNREFUSED" } });

interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly sentence: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

async function setUp() {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, { typing: undefined });
  const lines: Line[] = [];
  const at = (level: Line["level"]) => (fields: Line["fields"], sentence: string) =>
    void lines.push({ level, fields, sentence });
  const log: Log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), child: () => log };
  const turns = { partial: async () => undefined };
  const delivery = createDelivery({
    turns,
    clock,
    random: () => 0.5,
    log,
    metrics: silentMetrics,
    outbox: outbox.port,
  });
  delivery.attach(platform, outbox.lease);
  const put = async (name: string) => {
    await outbox.put(name, `text ${name}`);
    delivery.poke(accountId);
  };
  const told = () => lines.filter(({ level, sentence }) => level !== "debug" && sentence !== "message delivered");
  return { put, clock, platform, lines, told, start: clock.now() };
}

describe("the log", () => {
  it("tells an outage in one line when it begins and one when it ends, without a stack", async () => {
    const { put, clock, platform, told, lines, start } = await setUp();
    platform.decide = () => (clock.now() < start + 2 * minuteMs ? refused : "ok");
    for (const name of ["a", "b", "c"]) await put(name);
    await clock.advance(5 * minuteMs);
    const [begin, end, ...more] = told();
    assert.deepEqual(more, []);
    assert.deepEqual(
      [begin?.level, begin?.fields],
      ["warn", { accountId, code: "unavailable", reason: "ECONNREFUSED" }],
    );
    assert.equal(end?.level, "info");
    assert.equal(end?.fields.texts, 3);
    assert.ok(Number(end?.fields.durationMs) >= 2 * minuteMs, String(end?.fields.durationMs));
    const details = lines.filter(({ level, fields }) => level === "debug" && fields.error === refused);
    assert.ok(details.length > 3, "each failed call is told at debug");
  });

  for (const jumpMs of [48 * 60 * minuteMs, -48 * 60 * minuteMs])
    it(`tells how long a message took when the wall clock jumps by ${jumpMs / minuteMs} minutes, and does not give it up`, async () => {
      const { put, clock, platform, lines } = await setUp();
      const opensAt = clock.elapsed() + 2 * minuteMs;
      platform.decide = () => (clock.elapsed() < opensAt ? refused : "ok");
      await put("a");
      clock.jump(jumpMs);
      await clock.advance(5 * minuteMs);
      const durations = lines.filter(({ sentence }) => sentence === "message delivered");
      const [took = 0, ...more] = durations.map(({ fields }) => Number(fields.durationMs));
      assert.deepEqual(more, []);
      assert.ok(took >= 2 * minuteMs && took < 6 * minuteMs, String(took));
    });

  it("reminds of an outage that lasts, every quarter of an hour at most", async () => {
    const { put, clock, platform, told } = await setUp();
    platform.decide = () => refused;
    for (let n = 0; n < 20; n += 1) await put(`c${n}`);
    await clock.advance(60 * minuteMs);
    const reminders = told().slice(1);
    assert.ok(reminders.length >= 2 && reminders.length <= 4, `${reminders.length} reminders`);
    assert.ok(reminders.every(({ level, fields }) => level === "warn" && fields.error === undefined));
  });

  it("still tells why a platform refused a message", async () => {
    const { put, clock, platform, told } = await setUp();
    const blocked = new GatewayError("blocked", { code: "forbidden" });
    platform.decide = () => blocked;
    await put("a");
    await clock.advance(minuteMs);
    assert.deepEqual(
      told().map(({ sentence, fields }) => [sentence, fields.code]),
      [
        ["a call to a platform failed", "forbidden"],
        ["message given up", "forbidden"],
      ],
    );
  });
});
