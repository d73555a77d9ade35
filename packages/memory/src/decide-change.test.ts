import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Fact, instantOf, mostCharsOfFacts } from "@talaria/protocol";
import { type Changing, decideChange, type FactChange, type FactWrite } from "./decide-change.ts";
import { charsIn } from "./room.ts";
import { askerOf, dayMs, derivedFrom, factOf } from "./testing/fact-of.fixture.ts";

const ada = derivedFrom(askerOf("ada", "member"));

function subjectOf(facts: readonly Fact[], more: Partial<Changing> = {}): Changing {
  return { facts, isSeen: () => true, scope: "person", role: "member", derived: ada, ...more };
}

function writeOf(change: FactChange, subject: Changing): FactWrite {
  const decided = decideChange(change, subject);
  assert.ok(!("refused" in decided), JSON.stringify(decided));
  return decided;
}

function refusalOf(change: FactChange, subject: Changing): string {
  const decided = decideChange(change, subject);
  assert.ok("refused" in decided, JSON.stringify(decided));
  return decided.refused;
}

const said = { action: "add", trust: "said" } as const;

describe("a change of what is remembered", () => {
  it("adds a fact with its sources, as one line", () => {
    const { add, archive, confirm } = writeOf({ ...said, text: " prefers\n tables " }, subjectOf([]));
    assert.deepEqual(
      [add, archive, confirm],
      [{ text: "prefers tables", trust: "said", version: 1, derived: ada }, [], []],
    );
  });

  it("confirms what is known instead of adding it again, and a guess that is said becomes one that was said", () => {
    const subject = subjectOf([factOf("1", "Prefers tables.", { trust: "inferred" })]);
    const { add, confirm } = writeOf({ ...said, text: "prefers tables" }, subject);
    assert.deepEqual([add, confirm], [undefined, [{ id: "1", trust: "said" }]]);
  });

  it("puts a fact in place of those that it contradicts, as their next version, with what they carry", () => {
    const taint = [{ kind: "tool", name: "web_fetch" }] as const;
    const subject = subjectOf([
      factOf("1", "lives in Rome", { version: 3 }),
      factOf("2", "moves soon", { derived: { ...ada, taint } }),
    ]);
    const change = { action: "replace", ids: ["1", "2"], text: "lives in Oslo", trust: "said" } as const;
    const { add, archive } = writeOf(change, subject);
    assert.deepEqual([add?.version, add?.derived.taint], [4, taint]);
    assert.deepEqual(archive, [
      { id: "1", why: "replaced" },
      { id: "2", why: "replaced" },
    ]);
  });

  it("names nothing that is not seen here", () => {
    const subject = subjectOf([factOf("1", "lives in Rome")], { isSeen: () => false });
    assert.match(refusalOf({ action: "remove", ids: ["1"] }, subject), /look at the list/);
    assert.match(refusalOf({ action: "remove", ids: ["2"] }, subjectOf([])), /look at the list/);
  });

  it("leaves to those with more rights what they have taught", () => {
    const subject = subjectOf([factOf("1", "lives in Rome", { derived: derivedFrom(askerOf("olga", "owner")) })]);
    assert.match(refusalOf({ action: "remove", ids: ["1"] }, subject), /Fact 1 .* ask them/);
    assert.deepEqual(writeOf({ action: "remove", ids: ["1"] }, { ...subject, role: "owner" }).archive, [
      { id: "1", why: "removed" },
    ]);
  });

  it("says how long a fact may be", () => {
    assert.match(refusalOf({ ...said, text: "x".repeat(501) }, subjectOf([])), /501 characters.*at most 500/);
    assert.ok(writeOf({ ...said, text: "😀".repeat(500) }, subjectOf([])).add);
    assert.match(refusalOf({ ...said, text: " \n" }, subjectOf([])), /`text` is empty/);
  });

  it("makes room by the least confirmed: guesses, then the oldest, then the least used", () => {
    const old = instantOf(Date.UTC(2026, 1, 1));
    const facts = [
      factOf("1", "a".repeat(450), { uses: 5 }),
      factOf("2", "b".repeat(450), { confirmedAt: old }),
      factOf("3", "c".repeat(450), { trust: "inferred", confirmedAt: instantOf(Date.UTC(2026, 10, 1)) }),
    ];
    const ids = (chars: number) =>
      writeOf({ ...said, text: "d".repeat(chars) }, subjectOf(facts)).archive.map(({ id }) => id);
    assert.deepEqual([ids(22), ids(23), ids(473), ids(474)], [[], ["3"], ["3"], ["3", "2"]]);
  });

  it("keeps what has no room itself in the archive, where everything else was taught by stronger ones", () => {
    const strong = Array.from({ length: 3 }, (_, n) =>
      factOf(String(n), `${n}`.repeat(450), { derived: derivedFrom(askerOf("olga", "owner")) }),
    );
    const write = writeOf({ ...said, text: "d".repeat(100) }, subjectOf(strong));
    assert.deepEqual([write.isArchived, write.archive], [true, []]);
  });
});

describe("ten weeks", () => {
  it("the newest of contradicting facts counts, the older ones are in the archive, nothing is refused, and the limit holds", () => {
    let kept: Fact[] = [];
    const archive = new Map<string, { readonly fact: Fact; readonly why: string; readonly by?: string }>();
    const current = new Map<string, string>();
    const subjects = Array.from({ length: 9 }, (_, n) => `subject ${n}`);
    for (let day = 0; day < 70; day += 1) {
      const at = instantOf(Date.UTC(2026, 8, 1) + day * dayMs);
      const subject = subjects[(day * 4) % subjects.length] as string;
      const text = `${subject} is as it was on day ${day}, ${"and so on ".repeat(day % 7)}`.trim();
      const known = kept.find((fact) => fact.text.startsWith(`${subject} `));
      const change: FactChange = known
        ? { action: "replace", ids: [known.id], text, trust: "said" }
        : { ...said, text };
      const side: FactChange = { action: "add", text: `day ${day} had ${"rain ".repeat(20)}`, trust: "inferred" };
      for (const [n, one] of [change, side].entries()) {
        const id = String(day * 2 + n + 1);
        const { add, archive: going } = writeOf(one, subjectOf(kept));
        assert.ok(add);
        for (const { id: gone, why } of going) {
          const fact = kept.find((other) => other.id === gone) as Fact;
          archive.set(gone, { fact, why, ...(why === "replaced" ? { by: id } : {}) });
        }
        kept = kept.filter(({ id: other }) => !going.some((gone) => gone.id === other));
        kept.push(factOf(id, add.text, { trust: add.trust, version: add.version, createdAt: at, confirmedAt: at }));
        assert.ok(charsIn(kept) <= mostCharsOfFacts.person);
      }
      current.set(subject, text);
    }
    for (const [subject, text] of current) {
      const all = kept.filter((fact) => fact.text.startsWith(`${subject} `));
      assert.deepEqual(
        all.map((fact) => fact.text),
        [text],
      );
    }
    assert.equal(kept.length + archive.size, 140, "each is kept or in the archive");
    for (const { fact, by } of archive.values())
      if (by !== undefined) assert.ok(Number(by) > Number(fact.id), `${fact.text} went for something newer`);
    assert.ok([...archive.values()].every(({ fact, why }) => why === "replaced" || fact.trust === "inferred"));
  });
});
