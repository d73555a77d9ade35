import assert from "node:assert/strict";
import { it } from "node:test";
import { rowLine } from "../skills/skill-rows.ts";
import { checkLines } from "./skills.ts";

it("lists a skill with its state, and no control character of its words", () => {
  const digest = "0123456789abcdef".repeat(4);
  assert.equal(
    rowLine({ name: "tidy", state: "not accepted", digest, description: "Tidies\u001b[2J up", uses: 0 }),
    '"tidy"  not accepted  0123456789ab  "Tidies\\u001b[2J up"',
  );
  assert.equal(
    rowLine({
      ...{ name: "tidy", state: "accepted", digest, description: "x", source: "in the folder" },
      ...{ acceptedAt: "2026-11-20T10:00:00.000Z", acceptedBy: "telegram/1", uses: 2 },
    }),
    '"tidy"  accepted  0123456789ab  "x"  (in the folder; accepted 2026-11-20 by "telegram/1"; used 2 times)',
  );
  assert.equal(rowLine({ name: "tidy", state: "unusable", uses: 0 }), '"tidy"  unusable  run `talaria skills check`');
});

it("says what is wrong before what somebody should look at, with file, line and rule", () => {
  const read = { name: "tidy", skill: undefined, faults: [{ message: "SKILL.md is missing", isFatal: true }] };
  assert.deepEqual(checkLines(read, []), ['"tidy": unusable: SKILL.md is missing']);
  const remark = { rule: "destroys", file: "scripts/a.sh", line: 3, why: "it deletes much", isObjection: true };
  assert.deepEqual(checkLines({ ...read, faults: [] }, [remark]), [
    '"tidy": OBJECTION: "scripts/a.sh" line 3: it deletes much (destroys)',
  ]);
});
