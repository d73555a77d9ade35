import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { errorTable } from "@talaria/protocol";
import { root } from "./repository.ts";

interface Row {
  readonly retry: string;
  readonly effect: string;
}

/** The rows `| code | meaning | retry | effect | what to do |` of a page, by code. */
function rowsOf(page: string): ReadonlyMap<string, Row> {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| [^|]{20,} \| `([a-z-]+)` \| `([a-z]+)` \| [^|]{20,} \|$/gm)];
  return new Map(rows.map(([, code = "", retry = "", effect = ""]) => [code, { retry, effect }]));
}

describe("docs/building/errors.md", () => {
  it("has one complete row per error code, equal to the table in the code", () => {
    const written = rowsOf(readFileSync(new URL("docs/building/errors.md", root), "utf8"));
    assert.deepEqual(Object.fromEntries(written), errorTable);
  });

  it("is compared in both directions", () => {
    const row = (code: string) =>
      `| \`${code}\` | ${"meaning ".repeat(4)} | \`never\` | \`none\` | ${"advice ".repeat(4)} |`;
    const rule = { retry: "never", effect: "none" };
    assert.deepEqual(Object.fromEntries(rowsOf([row("a"), row("b")].join("\n"))), { a: rule, b: rule });
    assert.equal(rowsOf("| `a` | short | `never` | `none` | |").size, 0);
  });
});
