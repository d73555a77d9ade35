import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waitFor } from "./wait-for.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));

/** `talaria setup ...` as a person at a terminal has it: `says` waits for words of it, `type` enters a line. */
export function runSetup(home: string, ...args: readonly string[]) {
  const env = { ...process.env, TALARIA_HOME: home, TALARIA_CONFIG: "" };
  const child = spawn(process.execPath, [mainFile, "setup", ...args], { env });
  const state = { output: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      state.output += text;
    });
  const ended = once(child, "close").then(([code]) => code as number);
  const type = (line: string) => child.stdin.write(`${line}\n`);
  const says = (words: string) => waitFor(() => state.output.includes(words), `${words} in ${state.output}`);
  return { state, ended, type, says, end: () => child.stdin.end() };
}
