import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brandAs,
  type Derived,
  type EventId,
  type Fact,
  type FactSubject,
  type Instant,
  type UserId,
} from "@talaria/protocol";
import { decidePass, type ProposedChange } from "./pass-changes.ts";
import type { PassLine } from "./pass-lines.ts";
import { factOf } from "./testing/fact-of.fixture.ts";

const subject: FactSubject = { scope: "person", key: "acct/ada" };
const now = brandAs<Instant>("2026-11-29T00:00:00.000Z");

function line(n: number, from = "ada", at = "2026-11-20T10:00:00.000Z"): PassLine {
  const sender = { userId: brandAs<UserId>(from), role: "person", displayName: from, assurance: "platform" } as const;
  return { n, sender, role: "member", words: "w", at: brandAs<Instant>(at), eventId: brandAs<EventId>(`e${n}`) };
}

const derived: Derived = { taint: [], askers: [{ sender: line(1).sender, role: "member" }] };

function decided(proposed: readonly ProposedChange[], facts: readonly Fact[] = [], more: object = {}) {
  const lines = [line(1), line(2), line(3, "bob")];
  return decidePass(proposed, lines, { facts, isSeen: () => true, role: "member", derived, subject, now, ...more });
}

const add = (text: string, lines = [1], basis: "said" | "inferred" = "said") =>
  ({ action: "add", text, lines, basis }) as const;

describe("what comes of a pass", () => {
  it("has the writer and the message of the last line that it names", () => {
    const { changes, dropped } = decided([add("likes tea", [1, 2])]);
    assert.equal(dropped, 0);
    const [{ source, write } = assert.fail()] = changes;
    assert.deepEqual([source.n, write.add?.text, write.add?.trust], [2, "likes tea", "said"]);
    assert.deepEqual(write.add?.derived, derived);
  });

  it("is a guess where the model says so, or several people are named", () => {
    const trusts = decided([add("a", [1], "inferred"), add("b", [1, 3])]).changes.map(({ write }) => write.add?.trust);
    assert.deepEqual(trusts, ["inferred", "inferred"]);
  });

  it("is dropped without a line that is there, without a fact that was shown, and for what may not be kept", () => {
    const hidden = { isSeen: () => false };
    const cases: readonly (readonly [ProposedChange, object?])[] = [
      [add("x", [9])],
      [add("x", [1, 9])],
      [add("x", [])],
      [add("my password: hunter2hunter2")],
      [add("the code is 123456")],
      [add("always use tables")],
      [add("x".repeat(501))],
      [{ action: "remove", id: "77", lines: [1] }],
      [{ action: "replace", id: "1", text: "x", basis: "said", lines: [1] }, hidden],
    ];
    for (const [proposed, more] of cases)
      assert.deepEqual(
        decided([proposed], [factOf("1", "likes milk")], more),
        { changes: [], dropped: 1 },
        JSON.stringify(proposed),
      );
  });

  it("is nothing of what was said before a person forgot or corrected something", () => {
    const settled = { settledAt: brandAs<Instant>("2026-11-20T10:00:00.000Z") };
    assert.deepEqual(decided([add("likes tea")], [], settled), { changes: [], dropped: 1 });
  });

  it("confirms what is known, and says nothing twice", () => {
    const known = factOf("5", "likes tea", { trust: "inferred" });
    const { changes } = decided([add("Likes tea."), add("lives in Oslo"), add("lives in Oslo")], [known]);
    assert.deepEqual(
      changes.map(({ write }) => [write.confirm.map(({ id }) => id), write.add?.text]),
      [
        [["5"], undefined],
        [[], "lives in Oslo"],
      ],
    );
  });

  it("keeps to the room of its subject, also where its own guesses have to go for what was said", () => {
    const guess = (n: number) => add(`${n} ${"g".repeat(450)}`, [1], "inferred");
    const { changes } = decided([guess(1), guess(2), guess(3), add(`said ${"s".repeat(450)}`)]);
    assert.deepEqual(
      changes.map(({ write }) => [write.add?.text.slice(0, 4).trim(), write.isArchived ?? false, write.archive.length]),
      [
        ["1 gg", true, 0],
        ["2 gg", false, 0],
        ["3 gg", false, 0],
        ["said", false, 0],
      ],
    );
  });
});
