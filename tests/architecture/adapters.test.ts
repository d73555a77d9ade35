import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importsOf } from "./imports.ts";
import { readRepository, readWorkspaces, type Workspace } from "./repository.ts";

/** Why an adapter package does not count as tried by the suite; undefined when it does. */
function faultOf({ folder, sources }: Pick<Workspace, "folder" | "sources">): string | undefined {
  const test = sources.find(({ path }) => path === `${folder}/src/conformance.test.ts`);
  if (test === undefined) return `${folder} has no src/conformance.test.ts`;
  const importsSuite = importsOf(test.text).some(({ specifier }) => specifier === "@talaria/testkit");
  const callsSuite = /^\s*(?:await )?describeAdapter\(/m.test(test.text);
  return importsSuite && callsSuite ? undefined : `${folder} does not call describeAdapter`;
}

const adapters = readWorkspaces(readRepository()).filter(
  ({ name }) => name.startsWith("@talaria/adapter-") && name !== "@talaria/adapter-kit",
);

describe("every adapter", () => {
  for (const adapter of adapters)
    it(`runs the conformance suite: ${adapter.name}`, () => assert.equal(faultOf(adapter), undefined));

  it("is caught when it does not", () => {
    const sample = (text: string, name = "conformance.test.ts") =>
      faultOf({ folder: "packages/adapters/x", sources: [{ path: `packages/adapters/x/src/${name}`, text }] });
    const importLine = 'import { describeAdapter } from "@talaria/testkit";\n';
    assert.match(sample(`${importLine}describeAdapter({});`, "other.test.ts") ?? "", /has no/);
    assert.match(sample(`${importLine}// describeAdapter(x)`) ?? "", /does not call/);
    assert.match(sample("describeAdapter({});") ?? "", /does not call/);
    assert.equal(sample(`${importLine}describeAdapter("x", make);`), undefined);
  });
});
