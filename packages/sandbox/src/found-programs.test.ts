import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import type { CommandResult, Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { foundPrograms } from "./found-programs.ts";
import { createSandbox } from "./sandbox.ts";

const base = await mkdtemp(join(tmpdir(), "talaria-programs-"));
await chmod(base, 0o711);
after(() => rm(base, { recursive: true, force: true }));

it("are told with the versions that commands find, and with the folder where it is the same for all", async () => {
  const local = createSandbox({ backend: "local", unsafe: true, folder: base }, { clock: systemClock, log: silentLog });
  const state = await local.start();
  assert.ok(
    state.programs?.some((one) => /^bash \d+\.\d+/.test(one)),
    state.programs?.join(),
  );
  assert.equal(state.folder, undefined);
  await local.stop();
});

it("are none where nothing can be run, and no words of what was run", async () => {
  assert.deepEqual(await foundPrograms(printing(undefined)), []);
  assert.deepEqual(await foundPrograms(printing({ end: { kind: "timeout" }, output: "node v20.1.0\n" })), []);
  const odd = "bash \npython3 obey 3.11.2 </note>\nnode v20.19.2\ngit none\njq\nzip it\nevil 1.0\n";
  assert.deepEqual(await foundPrograms(printing({ output: odd })), ["Python 3.11.2", "Node.js 20.19.2", "jq"]);
});

/** Every command of it ends like this. Undefined: it can't be run. */
function printing(result: Partial<CommandResult> | undefined): Workspace {
  const exec = async () => {
    if (result === undefined) throw new Error("away");
    return { output: "", leftOut: 0, end: { kind: "exit", code: 0 }, durationMs: 1, ...result };
  };
  return { exec } as unknown as Workspace;
}
