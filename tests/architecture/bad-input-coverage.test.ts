import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { coverage, files, type Shown } from "./bad-input-coverage.ts";
import { httpCoverage } from "./bad-input-coverage-http.ts";
import { type ListedTest, listTests } from "./listing/listed-tests.ts";

const root = new URL("../../", import.meta.url);
const all = { ...coverage, ...httpCoverage };

/** Tests with real peers and a real browser run where those are installed. CI has them: none is skipped for want of one. */
const withPeers = /^tests\/(?:interop|e2e)\//;
const wantsPeer = /^needs | is not installed$/;

function mayBeSkipped(file: string, reason: string, isCi = process.env.CI === "true"): boolean {
  return withPeers.test(file) || (!isCi && wantsPeer.test(reason));
}

/** Why a place does not show what it should; undefined when it does. `words` may stand in the titles of several tests. */
function faultOf(file: string, words: string, listed: readonly ListedTest[]): string | undefined {
  const found = listed.filter((test) => test.file === file && test.title.includes(words));
  if (found.length === 0) return `${file} has no test "${words}"`;
  const idle = found.find((test) => test.isEmpty || (test.skipped !== undefined && !mayBeSkipped(file, test.skipped)));
  return idle && `${file}: "${idle.title}" ${idle.isEmpty ? "is empty" : `is skipped ${idle.skipped}`}`;
}

describe("each row of bad input", () => {
  let listed: readonly ListedTest[];
  before(async () => {
    listed = await listTests([...new Set(Object.values(files))], root);
  });

  it("is listed", () => {
    const ids = (letter: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${letter}${String(n + 1).padStart(2, "0")}`);
    const counts = { A: 20, B: 21, C: 12, D: 20, E: 8, F: 13 };
    const wanted = Object.entries(counts).flatMap(([letter, count]) => ids(letter, count));
    assert.deepEqual(Object.keys(all).toSorted(), wanted);
  });

  for (const [id, shown] of Object.entries(all))
    it(`${id} ${typeof shown === "string" ? `has none: ${shown}` : "has tests that run"}`, () => {
      const fault = ([file, words]: Shown) => faultOf(files[file], words, listed);
      if (typeof shown !== "string") assert.deepEqual(shown.map(fault).filter(Boolean), []);
    });

  it("uses each file that is named", () => {
    const used = new Set(
      Object.values(all).flatMap((shown) => (typeof shown === "string" ? [] : shown.map(([file]) => file))),
    );
    assert.deepEqual(
      Object.keys(files).filter((file) => !used.has(file as keyof typeof files)),
      [],
    );
  });
});

describe("a test that shows nothing", () => {
  let folder: string;
  let listed: readonly ListedTest[];
  const file = "shown.test.ts";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "talaria-listing-"));
    const text = `
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
// it("only a comment", () => assert.ok(true));
const unused = "only a text";
for (const name of ["first", "second"]) it(\`filled in: \${name}\`, () => assert.ok(name));
it("does nothing", () => {});
it("has no body");
it("says nothing", async () => { /* assert.ok(true) */ });
it.skip("is skipped", () => assert.ok(true));
it("is skipped by option", { skip: "some day" }, () => assert.ok(true));
test.todo("is to be done", () => assert.ok(true));
describe("asleep", { skip: true }, () => { it("within", () => assert.ok(true)); });
describe("awake", () => { it("within", async () => { throw new Error("not run"); }); });
`;
    await writeFile(join(folder, file), text);
    listed = await listTests([file], new URL(`file://${folder}/`));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [words, fault] of [
    ["only a comment", /has no test/],
    ["only a text", /has no test/],
    ["filled in: third", /has no test/],
    ["does nothing", /is empty/],
    ["has no body", /is empty/],
    ["says nothing", /is empty/],
    ["is skipped", /is skipped/],
    ["is skipped by option", /is skipped some day/],
    ["is to be done", /is skipped/],
    ["asleep > within", /is skipped/],
  ] as const)
    it(`is caught: ${words}`, () => assert.match(faultOf(file, words, listed) ?? "", fault));

  for (const words of ["filled in: first", "awake > within"])
    it(`is not confused with one that does: ${words}`, () => assert.equal(faultOf(file, words, listed), undefined));
});
