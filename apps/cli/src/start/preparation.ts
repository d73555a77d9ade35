import { fork } from "node:child_process";
import { mainFile } from "./main-file.ts";
import type { FromPreparation, Plan } from "./messages.ts";
import { nodeFlags } from "./node-flags.ts";

/**
 * Runs `talaria prepare` in a process of its own, so that what it loads is gone afterwards. Throws an error with that
 * process's own message.
 */
export function runPreparation(env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<Plan> {
  return new Promise((resolve, reject) => {
    let plan: Plan | undefined;
    let complaint = "";
    const child = fork(mainFile, ["prepare"], {
      env,
      execArgv: nodeFlags,
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complaint += text;
    });
    child.on("message", (message: FromPreparation) => {
      if (message.type === "progress") say(message.line);
      else plan = message.plan;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (plan !== undefined && code === 0) resolve(plan);
      else reject(new Error(complaint.replace(/^talaria: /, "").trim() || `the preparation ended with code ${code}`));
    });
  });
}
