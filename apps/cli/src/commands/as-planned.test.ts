import assert from "node:assert/strict";
import { it } from "node:test";
import { problemsOf } from "@talaria/store";
import { asPlanned } from "./as-planned.ts";

const since = "2026-11-26T14:38:00.000Z";
const refused = { model: "main", at: since, code: "auth", line: "model main: refused" };
const gateway = { kind: "gateway", stats: { models: [refused] } };

const problems = problemsOf({ living: [gateway], accounts: [], models: ["main"], now: 0 } as never);

it("a worker that is missing while it is replaced needs nobody, what else is wrong does", () => {
  assert.deepEqual(
    asPlanned(problems, since).map(({ code, isNote, stopsAnswers }) => [code, isNote, stopsAnswers]),
    [
      ["restarting", true, false],
      ["auth", undefined, true],
    ],
  );
  assert.match(
    asPlanned(problems, since)[0]?.line ?? "",
    /being replaced, since 2026-11-26T14:38:00Z, by `talaria restart`/,
  );
});

it("a worker that is missing otherwise is a problem", () => assert.deepEqual(asPlanned(problems, undefined), problems));
