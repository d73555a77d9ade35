import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "../sandbox.ts";
import { attemptAll } from "./attempts.ts";
import { escapes } from "./escapes.ts";
import { Outside, secret } from "./outside.ts";

/** Attempts that succeed without a boundary, whoever makes them, and leave nothing behind but what the test made; and what is noticed. */
const harmless: Readonly<Record<string, string>> = {
  "read a file outside": "its output has the canary",
  "copy it with cp": "its output has the canary",
  "run it as a script": "its output has the canary",
  "read it through /proc/self/root": "its output has the canary",
  "read it through the shell's own folder": "its output has the canary",
  "read it through a link": "its output has the canary",
  "read it through a link to /": "its output has the canary",
  "read it through a chain of links": "its output has the canary",
  "make a hard link to it": "its output has the canary",
  "list all workspaces": "",
  "read another session's file": "its output has the canary",
  "write in another session's folder": "files of another session",
  "write to a folder outside": "the folder outside",
  "write through a link": "the file outside",
  "write through a link to a folder": "",
  "delete through a link": "the folder outside",
  "cut a file outside": "the file outside",
  "see it in any process": "its output has the canary",
  "see a process outside": "",
  "signal a process outside": "",
  "signal the worker": "",
  "read its memory map": "",
  "have another one killed first": "its order of being killed",
  "stop a process outside": "the process outside",
  "slow a process outside down": "the process outside",
  "kill a process outside": "the process outside",
  "reach the worker's machine at 127.0.0.1": "connections to listeners",
  "reach it by name": "connections to listeners",
  "reach it at 0.0.0.0": "connections to listeners",
  "ask a server on the worker's machine": "datagrams to a listener",
  "reach a socket in a folder outside": "connections to listeners",
  "reach a socket without a folder": "connections to listeners",
  "run what lies outside": "",
};
/** These change what others read or need, so they come last. */
const last = ["delete through a link", "write through a link", "cut a file outside", "kill a process outside"];

it("attempts to get out do get out where nothing holds them, and that is noticed outside", async () => {
  const base = await mkdtemp(join(tmpdir(), "talaria-attempts-"));
  await chmod(base, 0o755);
  const dataFolder = join(base, "workspaces");
  const config = { backend: "local", unsafe: true, folder: dataFolder } as const;
  const sandbox = createSandbox(config, { clock: systemClock, log: silentLog });
  await sandbox.start();
  await (await sandbox.open("other")).write("own", Buffer.from(secret));
  const outside = await Outside.begin({ folder: join(base, "outside"), dataFolder });
  try {
    const chosen = escapes(outside.targets).filter(({ name }) => name in harmless);
    assert.deepEqual(chosen.map(({ name }) => name).sort(), Object.keys(harmless).sort());
    const rank = (name: string) => last.indexOf(name);
    chosen.sort((left, right) => rank(left.name) - rank(right.name));
    const attempted = await attemptAll(await sandbox.open("a"), outside, chosen);
    const wrong = attempted
      .filter(({ said }) => said !== "LACKS perl" && said !== "LACKS renice")
      .filter(({ attempt: { name }, said, harm }) => {
        const expected = harmless[name] ?? "";
        return said !== "THROUGH" || (expected !== "" && !harm.includes(expected));
      });
    assert.deepEqual(
      wrong.map(({ attempt, said, harm }) => `${attempt.name}: ${said}: ${harm.join()}`),
      [],
    );
  } finally {
    await outside.end();
    await sandbox.stop();
    await rm(base, { recursive: true, force: true });
  }
});
