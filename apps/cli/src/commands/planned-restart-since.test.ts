import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { PlannedRestart } from "../start/planned-restart.ts";
import { plannedRestartSince } from "./planned-restart-since.ts";

it("a planned restart is known from its beginning to its end, unless its process is gone or it takes too long", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-planned-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "planned-restart.json");
  const planned = new PlannedRestart(file);
  assert.equal(await plannedRestartSince(file, Date.now()), undefined);
  await planned.begin();
  const since = (await plannedRestartSince(file, Date.now())) ?? "";
  assert.equal(await plannedRestartSince(file, Date.parse(since) + 299_000), since);
  assert.equal(await plannedRestartSince(file, Date.parse(since) + 300_000), undefined);
  await planned.end();
  assert.equal(await plannedRestartSince(file, Date.now()), undefined);
  for (const text of ["", "{", '{"pid":0}', JSON.stringify({ pid: 2 ** 30, at: since })]) {
    await writeFile(file, text);
    assert.equal(await plannedRestartSince(file, Date.parse(since)), undefined, text);
  }
});
