import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs `talaria ...` to its end, whatever the end is, with nothing of this process's own settings. A command that is
 * still there after `timeoutMs` is asked to end, and its code is then null or 143.
 */
export async function runTalaria(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 300_000,
): Promise<Ran> {
  const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
