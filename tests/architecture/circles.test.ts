import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { circles } from "./circles.ts";
import { readRepository, readWorkspaces } from "./repository.ts";

const workspaces = readWorkspaces(readRepository());

describe("no file imports itself by way of others", () => {
  for (const workspace of workspaces) it(`in ${workspace.name}`, () => assert.deepEqual(circles(workspace), []));

  it("and is caught when it does, by types too", () => {
    const file = (name: string, ...imports: readonly string[]) => ({
      path: `packages/x/src/${name}.ts`,
      text: imports.map((one) => `import type { T } from "./${one}.ts";\n`).join(""),
    });
    const sources = [
      file("a", "b", "outside"),
      file("b", "c", "e"),
      file("c", "a"),
      file("d", "a"),
      file("e"),
      file("self", "self"),
      file("f.test", "g"),
      file("g", "f.test"),
    ];
    assert.deepEqual(circles({ sources }), [
      "packages/x/src/a.ts, packages/x/src/b.ts, packages/x/src/c.ts",
      "packages/x/src/self.ts",
    ]);
  });
});
