import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { runNpm, SetupError } from "./npm.mjs";

const pinned = "24.21.0";
const oldestMinor = { major: 24, minor: 12 };

/**
 * The path of a Node.js that runs TypeScript as it is: the current one, else the pinned one below `.runtime`, which is
 * fetched as a plain npm package when it is missing. Safe to call from several processes at once.
 * @param {string} repository
 */
export async function ensureRuntime(repository) {
  if (isRecent(process.versions.node)) return process.execPath;
  const folder = join(repository, ".runtime", `node-${pinned}`);
  const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(node)) await fetchRuntime(repository, folder, node);
  return node;
}

/** @param {string} version */
export function isRecent(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldestMinor.major || (major === oldestMinor.major && minor >= oldestMinor.minor);
}

/** The folder gets its final name only when the binary in it has run. */
async function fetchRuntime(repository, folder, node) {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  console.error(`Fetching Node.js ${pinned} (this is ${process.versions.node}; needed once) ...`);
  const parent = join(repository, ".runtime");
  try {
    await mkdir(parent, { recursive: true });
  } catch (error) {
    throw new SetupError(`Fetching Node.js failed: ${parent} can't be created (${error.code}).`, { cause: error });
  }
  const unfinished = await mkdtemp(join(parent, "new-"));
  try {
    const install = ["install", "--prefix", unfinished, "--no-save", "--no-package-lock", "--ignore-scripts"];
    await runNpm(process.execPath, [...install, `${name}@${pinned}`], {
      folder: unfinished,
      purpose: "Fetching Node.js",
    });
    const fetched = join(unfinished, "node_modules", name);
    checkRuns(join(fetched, "bin", process.platform === "win32" ? "node.exe" : "node"));
    await rename(fetched, folder).catch((error) => {
      if (!existsSync(node)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function checkRuns(node) {
  let said = "";
  try {
    said = execFileSync(node, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch (error) {
    throw new SetupError(
      "The fetched Node.js does not run on this system (it needs glibc); install Node.js 24.12 or later and try again.",
      { cause: error },
    );
  }
  if (said !== `v${pinned}`) throw new SetupError(`The fetched Node.js says ${said} instead of v${pinned}.`);
}
