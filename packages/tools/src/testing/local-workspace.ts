import { mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sameWorkspace, type Workspace } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "@talaria/sandbox";

/** Background processes that it allows at a time. */
const mostProcesses = 3;

/**
 * A workspace in a temporary folder with real processes, and no boundary: for tests alone. With `programs`, `exec` finds only
 * those, from `/usr/bin`.
 */
export async function startLocalWorkspace(programs?: readonly string[]): Promise<Workspace & AsyncDisposable> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "workspace-")));
  const config = { backend: "local", unsafe: true, folder: join(base, "w") } as const;
  const sandbox = createSandbox(
    { ...config, limits: { background: mostProcesses } },
    { clock: systemClock, log: silentLog },
  );
  await sandbox.start();
  const opened = await sandbox.open("test");
  const bin = await mkdtemp(join(tmpdir(), "programs-"));
  for (const name of programs ?? []) await symlink(`/usr/bin/${name}`, join(bin, name));
  const within = (argv: readonly string[]) => ["/usr/bin/env", `PATH=${bin}`, ...argv] as [string, ...string[]];
  return {
    ...sameWorkspace(opened),
    exec: ({ command, ...more }, options) => {
      const argv = typeof command === "string" ? ["/bin/bash", "-c", command] : command;
      return opened.exec({ ...more, command: programs === undefined ? command : within(argv) }, options);
    },
    async [Symbol.asyncDispose]() {
      await sandbox.stop();
      for (const one of [base, bin]) await rm(one, { recursive: true, force: true });
    },
  };
}
