import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fastCheck from "fast-check";
import { z } from "zod";
import { checkConfig } from "./load-config.ts";
import { formatProblem } from "./problem.ts";

const example = readFileSync(new URL("../../../config/talaria.example.yaml", import.meta.url), "utf8");
const secret = "kX9vQ2mZ7pL4rT8wB3nC6yH1";
const env = { OPENAI_API_KEY: "sk-canary-1", TELEGRAM_BOT_TOKEN: "1:canary-2", CI_WEBHOOK_SECRET: secret };

const telegram = {
  configSchema: z.object({ token: z.string() }),
  ids: { user: /^\d+$/, group: /^-\d+$/, example: "telegram:user:123456" },
  identityKey: "token",
};
const platforms = { names: ["telegram"], rules: { telegram } };

function check(text: string) {
  return checkConfig(text, { file: "config.yaml", env, platforms, readSecret: () => "from-a-file" });
}

const junk = fastCheck.oneof(
  fastCheck.constantFrom(
    "",
    "\t",
    "&a",
    "*a",
    "!!x",
    "---\n",
    "{",
    "]",
    '"',
    "'",
    "|",
    "~",
    ".nan",
    `\${NOPE}`,
    ": ",
    "\n  ",
  ),
  fastCheck.string({ unit: "binary", maxLength: 6 }),
);

describe("a damaged configuration", () => {
  it("is the example, whole, before the damage", () => {
    assert.deepEqual(check(example).problems, []);
  });

  it("never throws, and every problem has a place in the file and prints no secret", () => {
    const place = fastCheck.nat({ max: example.length });
    const lines = example.split("\n").length;
    fastCheck.assert(
      fastCheck.property(place, fastCheck.nat({ max: 40 }), junk, (at, removed, inserted) => {
        const { problems, loaded } = check(example.slice(0, at) + inserted + example.slice(at + removed));
        assert.equal(
          loaded === undefined,
          problems.some((problem) => problem.disables === undefined),
        );
        for (const problem of problems) {
          assert.ok(problem.line >= 1 && problem.line <= lines + 6 && problem.column >= 1, formatProblem(problem));
          assert.notEqual(problem.message, "");
          for (const value of Object.values(env)) assert.ok(!formatProblem(problem).includes(value));
        }
      }),
      { numRuns: 400 },
    );
  });

  it("notices each letter that is missing in a key", () => {
    const keys = [...example.matchAll(/^ *([a-zA-Z]{4,}):/gm)].filter((match) => !/offline|main/.test(match[0]));
    assert.ok(keys.length > 25);
    for (const match of keys) {
      const end = match.index + match[0].length - 1;
      const { problems } = check(example.slice(0, end - 1) + example.slice(end));
      const line = example.slice(0, match.index + 1).split("\n").length;
      const wrong = match[1]?.slice(0, -1);
      const found = problems.find((problem) => problem.path.endsWith(`${wrong}`) && problem.message === "unknown key");
      assert.equal(found?.suggestion, `did you mean "${match[1]}"?`, `${wrong}: ${problems.map(formatProblem)}`);
      assert.ok(Math.abs((found?.line ?? 0) - line) <= 1);
    }
  });
});
