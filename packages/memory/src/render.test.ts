import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { listedLine, renderSnapshot, usedOf } from "./render.ts";
import { askerOf, derivedFrom, factOf } from "./testing/fact-of.fixture.ts";
import { poisoned } from "./testing/texts.fixture.ts";

const person = brandAs<UserId>("ada");

describe("what is remembered, as it is shown", () => {
  it("has the day and number of each fact, by what it is about, with the same bytes in whatever order they came", () => {
    const facts = [
      factOf("2", "prefers tables"),
      factOf("10", "guesses well", { trust: "inferred" }),
      factOf("1", "deploys on Tuesdays", { scope: "agent", key: "", derived: derivedFrom(askerOf("olga", "owner")) }),
    ];
    const shown = renderSnapshot(facts, { person });
    assert.match(shown, /<facts about="you and your work">\n1 \(2026-09-01, said\): deploys on Tuesdays\n<\/facts>/);
    assert.match(
      shown,
      /2 \(2026-09-01, said\): prefers tables\n10 \(2026-09-01, inferred\): guesses well\n<\/facts>$/,
    );
    assert.equal(renderSnapshot(facts.toReversed(), { person }), shown);
    assert.equal(renderSnapshot([], { person }), "");
  });

  it("leaves out what would taint a turn there, and says how much", () => {
    const taint = [{ kind: "tool", name: "web_fetch" }] as const;
    const facts = [
      factOf("1", "clean"),
      factOf("2", "from a page", { derived: { taint, askers: [askerOf("ada", "member")] } }),
      factOf("3", "by Bob", { derived: derivedFrom(askerOf("bob", "member")) }),
    ];
    const shown = renderSnapshot(facts, { person });
    assert.match(shown, /clean/);
    assert.doesNotMatch(shown, /from a page|by Bob/);
    assert.match(shown, /2 more came from what others wrote/);
  });

  it("shows of a group what its owners have taught", () => {
    const group = { scope: "group", key: "acct/c" } as const;
    const facts = [
      factOf("1", "meets on Mondays", { ...group, derived: derivedFrom(askerOf("olga", "owner")) }),
      factOf("2", "meets nowhere", group),
    ];
    const shown = renderSnapshot(facts, {});
    assert.match(shown, /Mondays/);
    assert.doesNotMatch(shown, /nowhere/);
  });

  it("blocks each poisoned text that an older release has kept, and can't be closed from inside", () => {
    const shown = poisoned.map((text, n) => renderSnapshot([factOf(String(n), text)], { person }));
    for (const [n, one] of shown.entries()) {
      assert.match(one, /said\): \[BLOCKED: [^\]]+\]/, poisoned[n]);
      assert.equal(one.split("<facts").length, 2);
      assert.equal(one.split("</facts>").length, 2);
    }
  });

  it("lists age, use and what became of a fact", () => {
    assert.equal(
      listedLine(factOf("7", "a < b", { uses: 1 })),
      "7 (2026-09-01, said): a &lt; b (since 2026-09-01, used once)",
    );
    const archived = {
      ...factOf("7", "x"),
      archivedAt: brandAs("2026-10-02T00:00:00.000Z"),
      why: "replaced",
      replacedBy: "9",
    };
    assert.match(listedLine(archived as never), /used 0 times; replaced by 9 on 2026-10-02\)$/);
    assert.equal(
      usedOf([factOf("7", "12345")], "person"),
      "About the person you talk with 5 of 1375 characters are used.",
    );
  });
});
