import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { deadLinks } from "./links.ts";
import { readRepository, root } from "./repository.ts";

describe("every relative link in a document", () => {
  const pages = readRepository().filter(({ path }) => path.endsWith(".md"));

  it("leads to a file, and to a heading that is there", () => {
    assert.deepEqual(
      deadLinks(pages, (path) => existsSync(new URL(path, root))),
      [],
    );
  });

  it("is caught when it does not", () => {
    const text = [
      "# Who may `write`, and why",
      "## Twice",
      "## Twice",
      "[a](#who-may-write-and-why) [b](b.md#there) [c](../x/) [d](https://e.test/#gone) `[e](gone.md)` [f](#twice-1)",
      "[g](gone.md) [h](b.md#gone) [i](#twice-2) [j](../gone/)",
      "```",
      "[k](gone.md)",
      "# Not a heading",
      "```",
      "[l](#not-a-heading)",
    ].join("\n");
    const there = new Set(["docs/a.md", "docs/b.md", "x"]);
    assert.deepEqual(
      deadLinks(
        [
          { path: "docs/a.md", text },
          { path: "docs/b.md", text: "# There" },
        ],
        (path) => there.has(path),
      ),
      ["gone.md", "b.md#gone", "#twice-2", "../gone/", "#not-a-heading"].map((link) => `docs/a.md: ${link}`),
    );
  });
});

it("every page of docs is in the index, docs/README.md", () => {
  const pages = readRepository().filter(({ path }) => /^docs\/(building\/)?[^/]+\.md$/.test(path));
  const index = pages.find(({ path }) => path === "docs/README.md")?.text ?? "";
  const missing = pages.map(({ path }) => path.slice("docs/".length)).filter((path) => !index.includes(`](${path})`));
  assert.deepEqual(missing, ["README.md"]);
});
