import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSkill } from "./read-skill.ts";
import { scanSkill } from "./scan/scan-skill.ts";
import { skillNames } from "./skill-folder.ts";
import { starterFolder } from "./starter-skills.ts";

const never = new AbortController().signal;

describe("the skills that come with Talaria", () => {
  it("are ten", async () => {
    assert.equal((await skillNames(starterFolder)).length, 10);
  });

  it("hold to the specification, and the scanner has nothing to say", async () => {
    const names = await skillNames(starterFolder);
    for (const name of names) {
      const { skill, faults } = await readSkill(join(starterFolder, name), never);
      assert.deepEqual(faults, [], name);
      assert.ok(skill);
      assert.deepEqual(scanSkill(skill, names), [], name);
      assert.match(skill.description, /\. Use when people /, name);
    }
  });

  it("name each of their files in their instructions", async () => {
    for (const name of await skillNames(starterFolder)) {
      const { skill } = await readSkill(join(starterFolder, name), never);
      for (const { path } of skill?.files ?? [])
        if (path !== "SKILL.md") assert.ok(skill?.body.includes(path), `${name}: ${path}`);
    }
  });
});
