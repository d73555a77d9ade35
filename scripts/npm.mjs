import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A step of the set-up failed; the message is one line that names the remedy. */
export class SetupError extends Error {
  name = "SetupError";
}

/**
 * Runs the npm that belongs to the current Node.js, by the Node.js `node`. Rejects with a SetupError that says what to do.
 * @param {string} node @param {string[]} parameters @param {{ folder: string, purpose: string }} options
 */
export async function runNpm(node, parameters, { folder, purpose }) {
  const program = npmProgram();
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const child = spawn(node, [program, ...parameters, ...quiet], {
    cwd: folder,
    env: withNodeFirst(node, { npm_config_global: "false" }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new SetupError(`${purpose} failed: ${explain(complaints, folder)}`);
}

/** The environment of a child whose `node` is the given one. */
export function withNodeFirst(node, more = {}) {
  return { ...process.env, ...more, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` };
}

/** The npm that belongs to the current Node.js, or the one in PATH. Throws a SetupError when there is none. */
export function npmProgram() {
  const beside = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    join(beside, "npm"),
    join(beside, "node_modules", "npm", "bin", "npm-cli.js"),
    join(beside, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "npm")),
  ];
  for (const candidate of candidates) {
    if (candidate === undefined || !existsSync(candidate)) continue;
    const program = realpathSync(candidate);
    if (program.endsWith("npm-cli.js")) return program;
  }
  throw new SetupError("npm was not found beside Node.js; install npm, or Node.js 24.12 or later together with it.");
}

function explain(complaints, folder) {
  if (/ENOSPC|EDQUOT|no space left/i.test(complaints)) return `the disk that holds ${folder} is full; free about 1 GB.`;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i.test(complaints)) {
    return "the package registry can't be reached; check the network (or npm's proxy and registry settings) and try again.";
  }
  if (/EINTEGRITY/.test(complaints)) {
    return "a package is not the one that was pinned (its digest differs); nothing of it was run. Check the registry and npm's cache.";
  }
  if (/EACCES|EPERM|EROFS/.test(complaints)) return `${folder} can't be written; give this account the right to.`;
  if (/EUSAGE|in sync/.test(complaints)) return "package-lock.json does not match package.json; run npm install once.";
  const lines = complaints.split("\n").map((line) => line.replace(/^npm (error|ERR!) */, "").trim());
  return `${lines.find((line) => line !== "" && !/^(code|errno|syscall|path) /.test(line)) ?? "npm gave no reason"}`;
}
