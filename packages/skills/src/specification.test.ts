import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesOf } from "./testing/files.fixture.ts";
import { toSkill } from "./to-skill.ts";

// The cases of `skills-ref/tests/test_validator.py` and `test_parser.py`, by their names there, and what the specification says besides.

const main = (front: string, body = "Body") => `---\n${front}\n---\n${body}\n`;

function read(folder: string, content: string, file = "SKILL.md") {
  const { skill, faults } = toSkill(folder, filesOf({ [file]: content }));
  return { skill, said: faults.map(({ message }) => message).join("\n") };
}

const named = (name: string, more = "") => main(`name: ${name}\ndescription: A test skill${more}`);

describe("the cases of the reference library", () => {
  it("takes a skill that is valid, with what is optional or without", () => {
    for (const content of [
      named("my-skill"),
      named("my-skill", "\nlicense: MIT\nmetadata:\n  author: Test"),
      named("my-skill", "\nallowed-tools: Bash(jq:*) Bash(git:*)"),
      named("my-skill", "\ncompatibility: Requires Python 3.11+"),
    ]) {
      const { skill, said } = read("my-skill", content);
      assert.deepEqual([skill?.name, skill?.description, skill?.body, said], ["my-skill", "A test skill", "Body", ""]);
    }
    const { skill } = read("my-skill", named("my-skill", "\nlicense: MIT\nallowed-tools: Bash(jq:*) Bash(git:*)"));
    assert.deepEqual([skill?.license, skill?.allowedTools], ["MIT", "Bash(jq:*) Bash(git:*)"]);
  });

  it("refuses names that are none", () => {
    for (const [name, why] of [
      ["MySkill", /lower case/],
      ["a".repeat(70), /has 70 characters: it may have 64/],
      ["-my-skill", /begin or end with a hyphen/],
      ["my-skill-", /begin or end with a hyphen/],
      ["my--skill", /two hyphens/],
      ["my_skill", /letters, digits and hyphens/],
      ["my skill", /letters, digits and hyphens/],
      ["НАВЫК", /lower case/],
    ] as const) {
      const { skill, said } = read(name, named(name));
      assert.equal(skill, undefined, name);
      assert.match(said, why);
    }
    assert.match(read("wrong-name", named("correct-name")).said, /"correct-name": it has to be the folder's/);
    assert.equal(read("a".repeat(64), named("a".repeat(64))).said, "");
  });

  it("takes names of other scripts, and the same name in another form of Unicode", () => {
    for (const name of ["技能", "мой-навык", "навык"]) assert.equal(read(name, named(name)).skill?.name, name);
    assert.equal(read("café", named("cafe\u0301")).skill?.name, "café");
  });

  it("refuses descriptions and front matters that are missing, too long or no YAML", () => {
    for (const [content, why] of [
      ["# No front matter here", /begin with a line of `---`/],
      ["---\nname: my-skill\ndescription: A test skill\n", /has no end/],
      [main("name: [invalid\ndescription: broken"), /can't be read, line \d/],
      [main("- just\n- a\n- list"), /has to be|must be a mapping/],
      [main("description: A test skill"), /`name` is missing/],
      [main("name: my-skill"), /`description` is missing/],
      [main("name: my-skill\ndescription: '  '"), /`description` is missing/],
      [main(`name: my-skill\ndescription: ${"x".repeat(1_100)}`), /1100 characters: it may have 1024/],
    ] as const) {
      const { skill, said } = read("my-skill", content);
      assert.equal(skill, undefined, content.slice(0, 60));
      assert.match(said, why);
    }
  });

  it("names other fields and a compatibility that is too long, and leaves them out", () => {
    const other = read("my-skill", named("my-skill", "\nunknown_field: should not be here"));
    assert.match(other.said, /no such fields: unknown_field/);
    assert.equal(other.skill?.name, "my-skill");
    const long = read("my-skill", named("my-skill", `\ncompatibility: ${"x".repeat(550)}`));
    assert.match(long.said, /`compatibility` has 550 characters: it may have 500/);
    assert.equal(long.skill?.compatibility, undefined);
  });

  it("reads every value as a text", () => {
    const { skill, said } = read("my-skill", named("my-skill", "\nmetadata:\n  author: Test Author\n  version: 1.0"));
    assert.deepEqual(skill?.metadata, { author: "Test Author", version: "1.0" });
    assert.equal(said, "");
    assert.equal(read("123", main("name: 123\ndescription: true")).skill?.description, "true");
  });

  it("prefers SKILL.md, and takes skill.md", () => {
    const both = toSkill("my-skill", filesOf({ "skill.md": named("other"), "SKILL.md": named("my-skill") }));
    assert.equal(both.skill?.name, "my-skill");
    assert.equal(read("my-skill", named("my-skill"), "skill.md").skill?.name, "my-skill");
    assert.match(read("my-skill", named("my-skill"), "README.md").said, /SKILL\.md is missing/);
  });
});

describe("malformed YAML", () => {
  it("is read where only a value with a colon lacks its quotes, and said", () => {
    const { skill, said } = read(
      "my-skill",
      main("name: my-skill\ndescription: Use this skill when: people ask # twice"),
    );
    assert.equal(skill?.description, "Use this skill when: people ask # twice");
    assert.match(said, /put values with a colon in quotes/);
  });

  it("keeps a skill out with the line, whatever is wrong with it", () => {
    for (const [front, why] of [
      ["name: my-skill\n\tdescription: tab", /line 3/],
      ["name: my-skill\ndescription: &a x\nlicense: *a", /anchors and aliases/],
      ["name: my-skill\nname: other\ndescription: x", /there twice/],
      ["name: !!python/object x\ndescription: x", /line 2/],
      ['name: my-skill\ndescription: "open', /line \d/],
      ["name: my-skill\ndescription: {a: b", /line \d/],
      [`name: my-skill\ndescription: ${"[".repeat(200)}`, /line \d/],
      ["name:\n  a: b\ndescription: x", /`name` is missing/],
    ] as const) {
      const { skill, said } = read("my-skill", main(front));
      assert.equal(skill, undefined, front.slice(0, 60));
      assert.match(said, why);
    }
  });

  it("ends at a whole line, not at dashes within a value", () => {
    const { skill } = read("my-skill", main("name: my-skill\ndescription: first --- second", "one\n---\ntwo"));
    assert.deepEqual([skill?.description, skill?.body], ["first --- second", "one\n---\ntwo"]);
    assert.equal(read("my-skill", `\uFEFF${named("my-skill").replaceAll("\n", "\r\n")}`).skill?.body, "Body");
  });

  it("says where the body begins", () => {
    assert.equal(read("my-skill", main("name: my-skill\ndescription: x", "\n\n# Title")).skill?.bodyLine, 7);
  });
});
