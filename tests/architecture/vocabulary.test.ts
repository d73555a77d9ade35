import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { readRepository, root } from "./repository.ts";
import { bannedWords, idleExceptions, vocabularyViolations } from "./vocabulary.ts";

const banned = bannedWords(await readFile(new URL("docs/building/dictionary.md", root), "utf8"));

const files = readRepository();

describe("the dictionary", () => {
  it("names synonyms that nobody uses", () => {
    assert.ok(banned.includes("connector") && banned.includes("util"), banned.join());
  });

  it("is kept by identifiers and file names", () => {
    assert.deepEqual(vocabularyViolations(files, banned), []);
  });

  it("has no exception that nobody needs any more", () => assert.deepEqual(idleExceptions(files), []));

  it("catches a synonym wherever a name says it", () => {
    const caught = [
      ["packages/x/src/session-manager.ts", "", "session-manager.ts"],
      ["packages/x/src/a.ts", "class SessionManager {}", "SessionManager"],
      ["packages/x/src/a.ts", "const manager = 1;", "manager"],
      ["packages/x/src/a.ts", "this.manager_id;", "manager_id"],
      ["packages/x/src/a.ts", "type HTTPManager = 1;", "HTTPManager"],
      ["packages/x/src/a.ts", "const oldManagers = 1;", "oldManagers"],
      ["packages/x/src/a.sql", "create table manager_row ()", "manager_row"],
    ] as const;
    for (const [path, text, name] of caught)
      assert.deepEqual(vocabularyViolations([{ path, text }], ["manager"]), [`${path}: ${name} says manager`]);
  });

  it("lets texts and comments say what they like, and a name contain the letters", () => {
    const text = `/** A manager. */ // manager\nconst a = "manager"; const managerial = \`manager\`;`;
    assert.deepEqual(vocabularyViolations([{ path: "packages/x/src/a.ts", text }], ["manager"]), []);
  });
});
