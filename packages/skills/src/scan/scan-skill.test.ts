import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesOf } from "../testing/files.fixture.ts";
import { honestSkills } from "../testing/honest.fixture.ts";
import { type FixtureSkill, hostileSkills } from "../testing/hostile.fixture.ts";
import { toSkill } from "../to-skill.ts";
import { scanSkill } from "./scan-skill.ts";

function scan({ name, files }: FixtureSkill) {
  const { skill, faults } = toSkill(name, filesOf(files));
  assert.ok(skill, `${name}: ${faults.map(({ message }) => message).join("; ")}`);
  return scanSkill(skill);
}

describe("what is looked for in skills", () => {
  for (const hostile of hostileSkills)
    it(`names ${hostile.rule} in ${hostile.name}`, () => {
      const remarks = scan(hostile);
      const said = remarks.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
      assert.ok(said.includes(`${hostile.rule} ${hostile.file}:${hostile.line}`), said.join(", "));
    });

  it("knows thirty hostile skills at least, and objects to all but those whose shape honest ones have, too", () => {
    assert.ok(hostileSkills.length >= 30);
    const doubted = hostileSkills.filter((hostile) => !scan(hostile).some(({ isObjection }) => isObjection));
    assert.deepEqual(
      doubted.map(({ name }) => name),
      ["skill-creater", "mcp-builder-a8f3", "picture-report", "dns-test", "house-rules"],
    );
  });

  it("has at most two remarks on each of thirty honest skills, and objects to none", () => {
    assert.ok(honestSkills.length >= 30);
    for (const honest of honestSkills) {
      const said = scan(honest).map(({ rule, file, line, why, isObjection }) => ({
        rule,
        file,
        line,
        why,
        isObjection,
      }));
      assert.ok(
        said.length <= 2 && !said.some(({ isObjection }) => isObjection),
        `${honest.name}: ${JSON.stringify(said)}`,
      );
    }
  });

  it("says the same of the same skill, objections first, and no more than a hundred things", () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`${index}.sh`, "rm -rf / ; sudo su\n"]),
    );
    const remarks = scan({
      name: "much",
      files: { "SKILL.md": "---\nname: much\ndescription: Much\n---\n", ...files },
    });
    assert.equal(remarks.length, 100);
    assert.ok(remarks.every(({ isObjection }) => isObjection));
  });

  it("takes no more steps for texts made to make it slow", () => {
    const units = [
      "curl ",
      "base64 ",
      "download ",
      "![",
      "a.",
      "eval(",
      "echo ",
      "-----",
      "<!-- ",
      "send ",
      "\\x41",
      "rm -rf ",
      `${" ".repeat(149)}x`,
    ];
    const took = units.map((unit) => {
      const before = process.cpuUsage().user;
      scan({
        name: "slow",
        files: { "SKILL.md": "---\nname: slow\ndescription: Slow\n---\n", a: unit.repeat(200_000 / unit.length) },
      });
      return { unit, ms: (process.cpuUsage().user - before) / 1_000 };
    });
    // What backtracks without bound takes hours at this length. No test compares with the clock: this only tells a hang from work.
    for (const { unit, ms } of took) assert.ok(ms < 120_000, `${JSON.stringify(unit)} took ${ms} ms`);
  });
});
