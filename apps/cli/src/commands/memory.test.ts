import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type Fact } from "@talaria/protocol";
import { factLine } from "./memory.ts";

const fact: Fact = {
  ...{ scope: "person", key: "main/1", id: "7", text: "likes\u001b[2J tea", trust: "said", author: "1" },
  ...{ derived: { taint: [], askers: [] }, uses: 2, version: 1 },
  ...{ createdAt: brandAs("2026-11-01T00:00:00.000Z"), confirmedAt: brandAs("2026-11-20T00:00:00.000Z") },
};

it("lists a fact with its sources, and no control character of its words", () => {
  assert.equal(factLine(fact), '7  2026-11-20  person "main/1": "likes\\u001b[2J tea" (by "1", used 2)');
  const derived = { taint: [{ kind: "tool", name: "web_fetch" }], askers: [], audience: ["main/c"] } as const;
  assert.match(
    factLine({ ...fact, scope: "agent", key: "", trust: "inferred", derived }),
    / {2}agent: .* \(by "1", a guess, from what others wrote, seen in "main\/c", used 2\)$/,
  );
});
