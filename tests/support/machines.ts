import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { waitFor } from "./wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));

/** Why no machines can be made of this one: only root may, and not everywhere. */
export const skipWithoutMachines =
  process.getuid?.() !== 0
    ? "needs root"
    : spawnSync("unshare", ["--mount", "true"], { stdio: "ignore" }).status === 0
      ? false
      : "needs a machine where root may mount";

/**
 * Words of a command that runs what follows them on a machine of its own: this one, after `script` has changed it for itself alone.
 * It becomes what it runs.
 */
export function machine(script: string): readonly string[] {
  return ["unshare", "--mount", "--propagation=private", "sh", "-c", `set -e\n${script}\nexec "$@"`, "sh"];
}

/** For `machine`: an empty /var/lib, so that nothing of this one is changed. */
export const emptyVarLib = "mount -t tmpfs -o mode=755 tmpfs /var/lib";

/** Nobody finds the program any more. */
export const without = (path: string) => `mount --bind /dev/null ${path}`;

/** Runs `talaria ...` there, as the account that `within` makes. Resolves with its exit code and all that it says. */
export async function talariaWithin(
  within: readonly string[],
  home: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly said: string }> {
  const [program = "", ...words] = [...within, process.execPath, mainFile, ...args];
  const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
  const child = spawn(program, words, { env: { ...inherited, TALARIA_HOME: home, TALARIA_CONFIG: "" } });
  child.stdin.end();
  return await ended(child);
}

/**
 * The same in a user namespace of its own, whose root can set its switches: those that `script` sets there are nobody else's.
 * Accounts have the numbers that they have here.
 */
export async function talariaInNamespace(script: string, home: string, args: readonly string[]) {
  const [, ...mounting] = machine(script);
  // Before anybody is somebody in there, a program loses what root may.
  const waiting = 'echo made; read -r line; exec "$@"';
  const words = ["--user", "sh", "-c", waiting, "sh", "unshare", ...mounting, process.execPath, mainFile, ...args];
  const child = spawn("unshare", words, { env: { ...process.env, TALARIA_HOME: home, TALARIA_CONFIG: "" } });
  const answer = ended(child, async (said) => {
    await waitFor(() => said().includes("made"), "the namespace");
    for (const map of ["uid_map", "gid_map"]) await writeFile(`/proc/${child.pid}/${map}`, "0 0 70000");
    child.stdin.end("go\n");
  });
  return await answer;
}

async function ended(
  child: ChildProcessWithoutNullStreams,
  meanwhile: (said: () => string) => Promise<void> = async () => undefined,
) {
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const [[code]] = await Promise.all([once(child, "close"), meanwhile(() => said)]);
  return { code: code as number | null, said };
}
