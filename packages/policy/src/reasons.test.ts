import assert from "node:assert/strict";
import { it } from "node:test";
import { english } from "@talaria/words";
import { defaultRules } from "./default-rules.ts";

it("every rule of ours that asks has its reason among the words that people read", () => {
  const asking = defaultRules.filter(({ decision }) => decision === "ask");
  const reasons = asking.map(({ id, text }) => [id.replace(/\.(?:owner|member|guest|route)$/, ""), text] as const);
  assert.deepEqual(Object.fromEntries(reasons), english.reasons.rules);
});
