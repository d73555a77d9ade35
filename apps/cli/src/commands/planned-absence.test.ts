import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { PlannedRestart } from "../start/planned-restart.ts";
import { plannedAbsence } from "./planned-absence.ts";

it("a planned restart or stop is known from its beginning to its end, unless its process is gone or it takes too long", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-planned-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "planned-restart.json");
  const planned = new PlannedRestart(file);
  assert.equal(await plannedAbsence(file, Date.now()), undefined);
  let since = "";
  for (const kind of ["restart", "stop"] as const) {
    await planned.begin(kind);
    since = (await plannedAbsence(file, Date.now()))?.since ?? "";
    assert.deepEqual(await plannedAbsence(file, Date.parse(since) + 299_000), { kind, since });
    assert.equal(await plannedAbsence(file, Date.parse(since) + 300_000), undefined);
  }
  await planned.end();
  assert.equal(await plannedAbsence(file, Date.now()), undefined);
  for (const text of ["", "{", '{"pid":0}', JSON.stringify({ pid: 2 ** 30, at: since })]) {
    await writeFile(file, text);
    assert.equal(await plannedAbsence(file, Date.parse(since)), undefined, text);
  }
});
