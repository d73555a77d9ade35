import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { type EventFacts, messageFrom } from "@talaria/testkit";
import { LoopGuard } from "./loop-guard.ts";
import { policyWith } from "./testing/policy.ts";

const policy = policyWith({ access: { direct: "open", groups: "open", bots: "on", maxBotTurns: 3 } });

function guarded() {
  const guard = new LoopGuard();
  /** `ok`, or why it gets no turn, once with the notice. */
  const say = (facts: EventFacts, atMs = 0) => {
    const event = { ...messageFrom(facts), receivedAt: instantOf(atMs) };
    guard.addressed(event);
    const loop = guard.check(event, policy);
    if (loop === undefined) guard.answered(event);
    else guard.told(event);
    return loop === undefined ? "ok" : `${loop.reason}${loop.isNews ? ", told" : ""}`;
  };
  return say;
}

const bot = { role: "bot", from: "b1", kind: "group" } as const;
const person = { from: "p1", kind: "group" } as const;
const mail = { platform: "email", from: "other@example.org" } as const;

describe("the guard against loops", () => {
  it("answers bots so many times in a row, tells once, and goes on after a person", () => {
    const say = guarded();
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => say(bot)),
      ["ok", "ok", "ok", "bot_loop, told", "bot_loop"],
    );
    assert.equal(say(person), "ok");
    assert.deepEqual(
      [1, 2, 3, 4].map(() => say(bot)),
      ["ok", "ok", "ok", "bot_loop, told"],
    );
  });

  it("answers bots six times a minute and sixty times an hour, whatever people write", () => {
    const say = guarded();
    const round = (atMs: number) => {
      say(person, atMs);
      return say(bot, atMs);
    };
    const fast = Array.from({ length: 8 }, (_, n) => round(n * 1_000));
    assert.deepEqual(fast.slice(5), ["ok", "bot_loop, told", "bot_loop, told"]);
    assert.equal(round(60_000), "ok");
    const slow = Array.from({ length: 60 }, (_, n) => round(70_000 + n * 15_000));
    assert.deepEqual(
      slow.slice(52).map((outcome) => outcome.split(",")[0]),
      ["ok", ...Array(7).fill("bot_loop")],
    );
    assert.equal(round(2 * 3_600_000), "ok");
  });

  it("counts several bots together, and each conversation by itself", () => {
    const say = guarded();
    assert.deepEqual(
      ["b1", "b2", "b3", "b4"].map((from) => say({ ...bot, from })),
      ["ok", "ok", "ok", "bot_loop, told"],
    );
    assert.equal(say({ ...bot, conversation: "elsewhere" }), "ok");
  });

  it("never holds up people elsewhere than in mail", () => {
    const say = guarded();
    assert.ok(Array.from({ length: 200 }, () => say(person)).every((outcome) => outcome === "ok"));
  });

  it("answers twenty mails of a sender within an hour, whatever their threads", () => {
    const say = guarded();
    const outcomes = Array.from({ length: 22 }, (_, n) => say({ ...mail, conversation: `thread-${n}` }, n * 1_000));
    assert.deepEqual(outcomes.slice(18), ["ok", "ok", "mail_loop, told", "mail_loop"]);
    assert.equal(say({ ...mail, from: "ada@example.org" }, 30_000), "ok");
    assert.equal(say(mail, 3_600_000), "ok");
  });

  it("remembers a bounded number of conversations", () => {
    const say = guarded();
    for (let n = 0; n < 3; n += 1) say(bot);
    for (let n = 0; n < 6_000; n += 1) say({ ...bot, conversation: `c${n}` });
    assert.equal(say(bot), "ok");
  });
});
