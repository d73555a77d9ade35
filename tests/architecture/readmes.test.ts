import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importerFaults, readmesOf, staleNames } from "./readmes.ts";
import { readRepository, readWorkspaces } from "./repository.ts";

const files = readRepository();
const workspaces = readWorkspaces(files);
const readmes = readmesOf(workspaces, files);

describe("what a README names in backticks", () => {
  for (const [readme, { folder }] of readmes)
    it(`is there: ${readme.path}`, () => assert.deepEqual(staleNames(readme, folder, files), []));

  it("is read of every package", () => assert.ok(readmes.length >= 28));

  it("is caught when it is gone", () => {
    const there = [
      { path: "packages/x/src/a.ts", text: "export function decide(call: Call) {}" },
      { path: "packages/x/src/deep/b.sql", text: "create function begin_turn" },
      { path: "packages/x/src/a.test.ts", text: "const onlyTested = 1;" },
      { path: "packages/y/src/c.ts", text: "export const settle = 1;" },
    ];
    const text = [
      "`a.ts`, `deep/b.sql`, `deep/`, `decide(call)`, `Call.name`, `begin_turn`; not `a call` nor `x-y`.",
      "`gone.ts`, `gone/`, `settle`, `onlyTested`, `expire()`",
      "",
      "`settle` of `packages/y`, `settle` and `expire` of `@talaria/y`.",
      "```",
      "`inBlock`",
      "```",
    ].join("\n");
    assert.deepEqual(
      staleNames({ path: "packages/x/README.md", text }, "packages/x", there),
      ["gone.ts", "gone/", "settle", "onlyTested", "expire()", "expire"].map((name) => `packages/x/README.md: ${name}`),
    );
  });
});

describe("who imports a package, by its README", () => {
  it("is who does", () =>
    assert.deepEqual(
      readmes.flatMap(([readme, workspace]) => importerFaults(readme, workspace, workspaces)),
      [],
    ));

  it("is caught when it is too many or too few", () => {
    const user = (folder: string, text: string) => ({
      folder,
      name: `@talaria/${folder.split("/").at(-1)}`,
      dependencies: [],
      sources: [{ path: `${folder}/src/a.ts`, text }],
    });
    const tools = user("packages/tools", "");
    const statement = 'import { x } from "@talaria/tools";';
    const all = [
      tools,
      user("packages/agent", ""),
      user("apps/cli", statement),
      user("packages/adapters/a", statement),
    ];
    const faults = (text: string) => importerFaults({ path: "packages/tools/README.md", text }, tools, all);
    assert.deepEqual(faults("It imports `packages/agent`. The adapters and `apps/cli` import it."), []);
    assert.deepEqual(faults("Imported by `apps` and `agent`; adapters differ."), [
      "packages/tools/README.md does not say that packages/adapters/a imports it",
      "packages/tools/README.md says that packages/agent imports it",
    ]);
  });
});
