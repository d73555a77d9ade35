import { spawn } from "node:child_process";
import { constants } from "node:os";
import { withNodeFirst } from "./npm.mjs";

const passedOn = ["SIGINT", "SIGTERM", "SIGHUP"];
const sameSignalMs = 300;

/**
 * Becomes the given program where the running Node.js can, so that no script process stays in memory; else runs it as a
 * child and resolves with its exit code. `talaria start` itself counts a signal once that npm and the terminal both send.
 */
export function become(node, parameters) {
  if (typeof process.execve !== "function" || process.platform === "win32") return launch(node, parameters);
  process.execve(node, [node, ...parameters], withNodeFirst(node));
  throw new Error("execve returned");
}

/**
 * Runs Node.js with the terminal's streams and resolves with its exit code. The child has a process group of its own:
 * signals reach it through us, the same one within 0.3 s only once. What is left of the group at the end is killed.
 * @param {string} node @param {string[]} parameters @param {Record<string, string>} [environment]
 */
export async function launch(node, parameters, environment = {}) {
  const ownGroup = process.platform !== "win32";
  const child = spawn(node, parameters, {
    stdio: "inherit",
    detached: ownGroup,
    env: withNodeFirst(node, environment),
  });
  const last = new Map();
  const pass = (signal) => {
    const now = performance.now();
    if (now - (last.get(signal) ?? -sameSignalMs) >= sameSignalMs) child.kill(signal);
    last.set(signal, now);
  };
  for (const signal of passedOn) process.on(signal, pass);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve(exitCode ?? 128 + constants.signals[signal]));
  });
  for (const signal of passedOn) process.off(signal, pass);
  if (ownGroup) endGroup(child.pid);
  return code;
}

function endGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
