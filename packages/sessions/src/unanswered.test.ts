import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type InboundEvent, instantOf, type UserId } from "@talaria/protocol";
import { editOf, messageFrom } from "@talaria/testkit";
import { admit } from "./admit.ts";
import { policyWith } from "./testing/policy.ts";
import { unansweredNotice } from "./unanswered.ts";

const hour = 3_600_000;
const arrived = Date.UTC(2026, 5, 1);

const policy = policyWith({ access: { groups: "open", allow: { users: [brandAs<UserId>("owner")], groups: [] } } });

const written = (ageMs: number, facts: Parameters<typeof messageFrom>[0] = {}) => ({
  ...messageFrom({ from: "owner", ...facts }),
  occurredAt: instantOf(arrived - ageMs),
  receivedAt: instantOf(arrived),
});
const late = { kind: "ignore", reason: "too_old" } as const;
const unanswered = { ...late, unanswered: true } as const;

describe("what was written while nothing ran", () => {
  const edit = (event: ReturnType<typeof written>) => ({
    ...event,
    ...editOf(event, "new"),
    receivedAt: event.receivedAt,
  });
  const rows: readonly [string, InboundEvent, object][] = [
    ["is answered when it is not too old", written(24 * hour), { kind: "turn" }],
    ["is not answered when it is too old", written(24 * hour + 1), unanswered],
    ["is answered when its time lies in the future", written(-1_000 * hour), { kind: "turn" }],
    ["does not stop what runs now", written(25 * hour, { text: "/stop" }), unanswered],
    ["is nothing to talk about when it was edited then", edit(written(25 * hour)) as InboundEvent, late],
    ["brings no code to a stranger", written(25 * hour, { from: "stranger" }), late],
    ["brings a code to a stranger who wrote in time", written(hour, { from: "stranger" }), { kind: "pair" }],
    [
      "is no more of our business when it was said to others",
      written(25 * hour, { kind: "group" }),
      { kind: "ignore", reason: "not_addressed" },
    ],
    ["is told in a group where we were meant", written(25 * hour, { kind: "group", mentionsSelf: true }), unanswered],
  ];
  for (const [title, event, expected] of rows)
    it(title, async () => {
      assert.deepEqual(
        await admit(event, policy, {
          approved: async () => false,
          blocked: async () => false,
          groupAllowed: async () => false,
          maxTextChars: 100,
        }),
        expected,
      );
    });

  it("is spoken of in round figures", () => {
    const texts = [60_000, hour, 24 * hour, 72 * hour].map((ms) => unansweredNotice(written(0), ms).text.markdown);
    assert.deepEqual(
      texts.map((text) => /more than (.*) ago/.exec(text)?.[1]),
      ["1 minute", "1 hour", "24 hours", "3 days"],
    );
  });
});
