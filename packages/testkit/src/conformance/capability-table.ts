import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Capabilities, ConversationCapabilities } from "@talaria/adapter";

/**
 * Tests that the table below `## Capabilities` in `packages/adapters/<platform>/GUIDE.md` matches the code. One column for each
 * of the capabilities given, for example direct conversations and groups. A failure prints the table to paste.
 */
export function describeCapabilityTable(
  platform: string,
  ...columns: readonly [Capabilities, ...Capabilities[]]
): void {
  describe(`the capability table of packages/adapters/${platform}/GUIDE.md`, () => {
    it("equals the code", async () => {
      const page = await readFile(new URL(`../../../adapters/${platform}/GUIDE.md`, import.meta.url), "utf8");
      const [, section = ""] = page.split("## Capabilities\n");
      const written = section
        .split("\n## ")[0]
        ?.split("\n")
        .filter((line) => line.startsWith("| `"))
        .map((line) => line.replaceAll(/ +/g, " "));
      const names = new Set(columns.flatMap((column) => Object.keys(column)));
      const expected = [...names].map((name) => {
        const cells = columns.map((column) => ` \`${JSON.stringify(column[name as keyof Capabilities]) ?? "none"}\` |`);
        return `| \`${name}\` |${cells.join("")}`;
      });
      assert.deepEqual(written, expected, `the table should be:\n${expected.join("\n")}\n`);
    });
  });
}

/** The capabilities as they are in one conversation. */
export function inConversation(
  { conversationPace: _pace, view: _view, edit: _edit, typing: _typing, ...everywhere }: Capabilities,
  there: ConversationCapabilities,
): Capabilities {
  return { ...everywhere, ...there };
}
