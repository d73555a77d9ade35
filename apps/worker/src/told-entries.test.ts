import assert from "node:assert/strict";
import { it } from "node:test";
import { toldEntries } from "./told-entries.ts";

const lost = (markdown: string, mayHaveArrived: boolean) => ({ id: 1, markdown, mayHaveArrived });

it("says which of the agent's words nobody may have read, in one short line each", () => {
  const entries = toldEntries({
    undelivered: [
      lost("Done.\n\nAll of it", false),
      lost("a ".repeat(100), true),
      { ...lost("Too late", false), stopped: "withheld" },
      { ...lost("Half", true), stopped: "cut" },
    ],
  });
  assert.deepEqual(
    entries.map((entry) => entry.kind === "note" && entry.text),
    [
      'Your words that begin with "Done. All of it" did not arrive here: the platform did not take them, and they were given up. Do not rely on anybody having read them.',
      `Your words that begin with "${"a ".repeat(29)}a" may have arrived here in part, whole or not at all: the platform did not say, and they were given up. Do not rely on anybody having read them.`,
      'Your words that begin with "Too late" were not sent: somebody stopped them first. Nobody has read them.',
      'Your words that begin with "Half" were cut short: somebody stopped them, and only their beginning is there.',
    ],
  );
  assert.deepEqual(toldEntries({}), []);
});
