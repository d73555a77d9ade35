import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import type { SandboxConfig } from "../config.ts";
import { testConformance } from "../conformance.ts";
import { createSandbox } from "../sandbox.ts";

const base = await mkdtemp(join(tmpdir(), "talaria-local-"));
after(() => rm(base, { recursive: true, force: true }));
testConformance({
  name: "no boundary",
  config: (limits) => ({ backend: "local", unsafe: true, folder: join(base, "a"), limits }),
});

it("runs nothing without a boundary unless that is said to be meant", async () => {
  const config = { backend: "local", unsafe: false, folder: base } as unknown as SandboxConfig;
  const sandbox = createSandbox(config, { clock: systemClock, log: silentLog });
  const { isUsable, reasons } = await sandbox.start();
  assert.equal(isUsable, false);
  assert.match(reasons.join(), /unsafe: true/);
  await assert.rejects(sandbox.open("a"), /the sandbox is off/);
});
