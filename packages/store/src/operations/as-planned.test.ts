import assert from "node:assert/strict";
import { it } from "node:test";
import { english } from "@talaria/words";
import { asPlanned, isPlanned } from "./as-planned.ts";
import { problemsOf } from "./problems.ts";

const since = "2026-11-26T14:38:00.000Z";
const refused = { model: "main", at: since, code: "auth", line: "model main: refused" };
const gateway = { kind: "gateway", stats: { models: [refused] } };
const facts = { living: [gateway], accounts: [], models: ["main"], now: 0 };
const problemsWhile = (planned?: { readonly kind: "restart" | "stop"; readonly since: string }) =>
  problemsOf({ ...facts, planned } as never, english.problemPhrases);

for (const [kind, code, line] of [
  [
    "restart",
    "restarting",
    /^gateway and workers are being replaced, since 2026-11-26T14:38:00Z, by `talaria restart`/,
  ],
  ["stop", "stopping", /^Talaria is being stopped, since 2026-11-26T14:38:00Z: messages wait/],
] as const)
  it(`a worker that is missing in a planned ${kind} needs nobody, what else is wrong does`, () => {
    const problems = problemsWhile({ kind, since });
    assert.deepEqual(
      problems.map((one) => [one.kind, one.code, one.isNote, one.stopsAnswers, isPlanned(one)]),
      [
        ["model", "auth", undefined, true, false],
        ["worker", code, true, false, true],
      ],
    );
    assert.match(problems[1]?.line ?? "", line);
  });

it("a worker that is missing otherwise is a problem", () => {
  const problems = problemsWhile();
  assert.equal(asPlanned(problems, undefined, english.problemPhrases), problems);
  assert.deepEqual(problems.map(({ code }) => code).sort(), ["auth", "not_running"]);
  assert.equal(problems.some(isPlanned), false);
});
