import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { english } from "./english/index.ts";
import { addLanguage, furtherLanguages, wordsIn } from "./languages.ts";
import { invented, marks } from "./testing/invented.ts";
import { type Partly, type Words, withEnglish } from "./words.ts";
import { wordsAt, wordsFor } from "./words-for.ts";

/** Every entry, by where it stands, such as `notices.stopped`. */
function entriesOf(words: unknown, path = ""): readonly (readonly [path: string, entry: unknown])[] {
  if (typeof words !== "object" || words === null) return [[path, words]];
  return Object.entries(words).flatMap(([name, entry]) => entriesOf(entry, path === "" ? name : `${path}.${name}`));
}

describe("a further language", () => {
  addLanguage("tlh", invented);

  it("is one object, of which every entry is said instead of that of English", () => {
    const said = new Map(entriesOf(wordsIn("tlh")));
    const own = entriesOf(english);
    assert.ok(own.length > 200, `${own.length} entries`);
    assert.deepEqual(
      [...said.keys()],
      own.map(([path]) => path),
    );
    for (const [path, entry] of own) {
      assert.notEqual(said.get(path), entry, path);
      assert.equal(typeof said.get(path), typeof entry, path);
      if (typeof entry === "string") assert.equal(said.get(path), `${marks[0]}${entry}${marks[1]}`);
    }
    assert.equal(
      wordsIn("tlh").notices.needsMember("new"),
      `${marks[0]}${english.notices.needsMember("new")}${marks[1]}`,
    );
    assert.deepEqual([...furtherLanguages().keys()], ["tlh"]);
  });

  it("is meant by its tag, and by those of its kinds, in any case", () => {
    for (const tag of ["tlh", "TLH", "tlh-Latn", "tlh-Latn-x-bridge"]) assert.equal(wordsIn(tag), wordsIn("tlh"), tag);
    for (const tag of [undefined, "", "en-GB", "de", "tl", "-tlh", "x-tlh", "__proto__"])
      assert.equal(wordsIn(tag), english, tag);
  });

  it("goes before the one that it is a kind of", () => {
    addLanguage("tlh-Piqd", { notices: { stopped: "mev" } });
    assert.equal(wordsIn("tlh-piqd-KX").notices.stopped, "mev");
    assert.equal(wordsIn("tlh-KX").notices.stopped, `${marks[0]}Stopped.${marks[1]}`);
  });

  it("is read by whoever is alone with the agent, and by nobody in a group", () => {
    const sender = { language: "tlh" };
    assert.equal(wordsFor({ conversation: { kind: "direct" }, sender }), wordsIn("tlh"));
    assert.equal(wordsFor({ conversation: { kind: "group" }, sender }), english);
    assert.equal(wordsFor({ conversation: { kind: "direct" } }), english);
    assert.equal(wordsAt({ conversation: { kind: "direct" }, language: "tlh" }), wordsIn("tlh"));
    assert.equal(wordsAt({ conversation: { kind: "direct" } }), english);
  });
});

describe("a language that was written for another release", () => {
  it("is English where it lacks an entry, an area, or has something else there", () => {
    const { notices, ...others } = invented;
    const { stopped: _, ...lacking } = notices;
    const odd = { ...others, notices: { ...lacking, reset: () => "" }, where: "nowhere", more: { x: "y" } };
    const words = withEnglish(odd as unknown as Partly<Words>);
    assert.equal(words.notices.stopped, english.notices.stopped);
    assert.equal(words.notices.reset, english.notices.reset);
    assert.deepEqual(words.where, english.where);
    assert.equal(words.notices.denied, invented.notices.denied);
    assert.deepEqual(Object.keys(words), Object.keys(english));
    assert.deepEqual(withEnglish({}), english);
  });

  it("is refused by the compiler", () => {
    const { stopped: _, ...lacking } = invented.notices;
    // @ts-expect-error: `stopped` is missing.
    const lacks: Words = { ...invented, notices: lacking };
    // @ts-expect-error: a command is a text.
    const takesOthers: Words["notices"]["needsMember"] = (command: number) => `${command}`;
    // @ts-expect-error: it takes parameters that nobody passes.
    const takesMore: Words["notices"]["withdrawn"] = (name: string) => name;
    // @ts-expect-error: a number is no text.
    const isNone: Words["notices"]["needsMember"] = (command) => command.length;
    assert.ok([lacks, takesOthers, takesMore, isNone].every((one) => one !== undefined));
  });
});
