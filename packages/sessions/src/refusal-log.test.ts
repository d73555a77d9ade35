import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Log, silentLog } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import type { Outcome } from "./gate-deps.ts";
import { RefusalLog } from "./refusal-log.ts";

function createLog() {
  const lines: (Record<string, unknown> & { sentence: string })[] = [];
  const log: Log = { ...silentLog, info: (fields, sentence) => lines.push({ ...fields, sentence }) };
  return { lines, refusals: new RefusalLog(log) };
}

const start = Date.parse("2026-11-20T10:00:00Z");

function eventAt(ms: number, user = "u1") {
  const event = messageFrom({ account: "acct" });
  const receivedAt = new Date(start + ms).toISOString() as typeof event.receivedAt;
  return { ...event, receivedAt, sender: { ...event.sender, userId: user as typeof event.sender.userId } };
}

describe("who got no answer", () => {
  for (const [outcome, reason, isLogged] of [
    ["refused", "not_allowed", true],
    ["refused", "group_not_allowed", true],
    ["refused", "pairing_code", true],
    ["refused", "needs_member", true],
    ["ignored", "too_old", true],
    ["ignored", "mail_loop", true],
    ["ignored", "not_addressed", false],
    ["ignored", "from_bot", false],
    ["recorded", undefined, false],
    ["command", "help", false],
  ] as const satisfies readonly (readonly [Outcome, string | undefined, boolean])[])
    it(`${isLogged ? "is" : "is not"} in the log for ${outcome} ${reason ?? ""}`, () => {
      const { lines, refusals } = createLog();
      const event = eventAt(0);
      refusals.note(outcome, event, reason);
      const { accountId, conversationId } = event.conversation;
      const line = { accountId, conversationId, senderId: "u1", eventId: event.id, reason, sentence: "not answered" };
      assert.deepEqual(lines, isLogged ? [line] : []);
    });

  it("is one line an hour for the same, which says how many there were", () => {
    const { lines, refusals } = createLog();
    for (let n = 0; n < 1_000; n += 1) refusals.note("refused", eventAt(n), "not_allowed");
    refusals.note("refused", eventAt(5, "u2"), "not_allowed");
    refusals.note("refused", eventAt(6), "too_long");
    refusals.note("refused", eventAt(3_600_000), "not_allowed");
    assert.deepEqual(
      lines.map(({ senderId, reason, more }) => [senderId, reason, more]),
      [
        ["u1", "not_allowed", undefined],
        ["u2", "not_allowed", undefined],
        ["u1", "too_long", undefined],
        ["u1", "not_allowed", 999],
      ],
    );
  });

  it("is at most sixty lines a minute, whoever comes, and the next minute says how many were left out", () => {
    const { lines, refusals } = createLog();
    for (let n = 0; n < 10_000; n += 1) refusals.note("refused", eventAt(n, `u${n}`), "not_allowed");
    assert.equal(lines.length, 60);
    refusals.note("refused", eventAt(60_000, "late"), "not_allowed");
    assert.deepEqual(
      lines.slice(60).map(({ leftOut, senderId }) => leftOut ?? senderId),
      [9_940, "late"],
    );
  });
});
