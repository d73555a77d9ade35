import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { withoutBlocks } from "./links.ts";
import { readRepository, root, type SourceFile } from "./repository.ts";

const repositoryPath = /^(?:apps|packages|config|docs|tests|scripts|src)\/[\w@.*<>/-]*$/;

/** Paths in backticks that lead nowhere. Relative ones count from the document's folder, then from the root. */
function deadPaths({ path, text }: SourceFile, exists: (path: string) => boolean): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const quoted = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, inner]) => inner ?? "");
  return quoted
    .filter((inner) => repositoryPath.test(inner))
    .filter((inner) => !exists(solidPart(inner)) && !exists(folder + solidPart(inner)))
    .map((inner) => `${path}: ${inner}`);
}

/** The folder in front of a pattern or a placeholder, or the whole path. */
function solidPart(path: string): string {
  return /[*<]/.test(path) ? path.replace(/[^/]*[*<].*$/, "") : path;
}

describe("every path in backticks in a document", () => {
  const documents = readRepository().filter(({ path }) => path.endsWith(".md"));

  it("exists", () => {
    const exists = (path: string) => existsSync(new URL(path, root));
    assert.deepEqual(
      documents.flatMap((document) => deadPaths(document, exists)),
      [],
    );
  });

  it("is caught when it does not", () => {
    const there = new Set(["packages/x/", "packages/x/src/a.ts", "docs/errors.md", "packages/x/README.md"]);
    const text = [
      "`src/a.ts` `docs/errors.md` `packages/x/<name>.ts` `npm test` `packages`",
      "`src/gone.ts` `docs/gone.md` `packages/gone/*.ts`",
      "```",
      "`docs/example.md`",
      "```",
    ].join("\n");
    assert.deepEqual(
      deadPaths({ path: "packages/x/README.md", text }, (path) => there.has(path)),
      ["src/gone.ts", "docs/gone.md", "packages/gone/*.ts"].map((path) => `packages/x/README.md: ${path}`),
    );
  });
});

it("no text tells anybody to run npx with our name, which is another package's", () => {
  const saying = readRepository().filter(
    ({ path, text }) => path !== "CHANGELOG.md" && text.includes(`npx ${"talaria"}`),
  );
  assert.deepEqual(
    saying.map(({ path }) => path),
    [],
  );
});
