import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { Outside, secret } from "./escape-outside.ts";
import { tryAll } from "./escape-suite.ts";
import { escapes } from "./escapes.ts";
import { createSandbox } from "./sandbox.ts";

/** Attempts that succeed without a boundary, whoever makes them, and leave nothing behind. */
const harmless = [
  "read a file outside",
  "read it through /proc/self/root",
  "read it through the shell's own folder",
  "read it through a link",
  "read it through a link to /",
  "make a hard link to it",
  "list all workspaces",
  "read another session's file",
  "write to a folder outside",
  "write to a file outside",
  "see it in /proc",
  "see a process outside",
  "signal a process outside",
  "read a process' memory map outside",
  "reach the worker's machine at 127.0.0.1",
  "reach it by name",
  "reach it at 0.0.0.0",
  "reach a socket in a folder outside",
  "reach a socket without a folder",
  "run what lies outside",
];

it("attempts to get out do get out where nothing holds them", async () => {
  const base = await mkdtemp(join(tmpdir(), "talaria-attempts-"));
  await chmod(base, 0o755);
  const folder = join(base, "workspaces");
  const sandbox = createSandbox({ backend: "local", unsafe: true, folder }, { clock: systemClock, log: silentLog });
  await sandbox.start();
  await (await sandbox.open("other")).write("own", Buffer.from(secret));
  const outside = await Outside.begin(join(base, "outside"), folder);
  try {
    const chosen = escapes(outside.targets).filter(({ name }) => harmless.includes(name));
    assert.equal(chosen.length, harmless.length);
    const workspace = await sandbox.open("a");
    // What is overwritten can't be read by those that come at the same time.
    const [writes, others] = [true, false].map((isWrite) =>
      chosen.filter(({ name }) => name.startsWith("write") === isWrite),
    );
    const results = [...(await tryAll(workspace, others ?? [])), ...(await tryAll(workspace, writes ?? []))];
    assert.deepEqual(
      results.filter(([, result]) => result !== "THROUGH" && result !== "LACKS perl"),
      [],
    );
    assert.ok(outside.connections >= 3);
  } finally {
    await outside.end();
    await sandbox.stop();
    await rm(base, { recursive: true, force: true });
  }
});
