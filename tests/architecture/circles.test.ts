import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { circles } from "./circles.ts";
import { readRepository, readWorkspaces } from "./repository.ts";

/** Circles that are known, and go with the next change of their files. The list only gets shorter. */
const known: readonly string[] = [
  "packages/adapters/email/src/capabilities.ts, packages/adapters/email/src/config.ts",
  "packages/adapters/telegram/src/inbound-message.ts, packages/adapters/telegram/src/inbound.ts",
  "packages/adapters/whatsapp/src/web/content.ts, packages/adapters/whatsapp/src/web/media-ref.ts",
  "packages/config/src/config-reader.ts, packages/config/src/load-config.ts",
];
const workspaces = readWorkspaces(readRepository());

describe("no file imports itself by way of others", () => {
  for (const workspace of workspaces)
    it(`in ${workspace.name}`, () =>
      assert.deepEqual(
        circles(workspace).filter((one) => !known.includes(one)),
        [],
      ));

  it("but the known ones, which are still there", () => {
    const found = workspaces.flatMap(circles);
    assert.deepEqual(
      known.filter((one) => !found.includes(one)),
      [],
    );
  });

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
