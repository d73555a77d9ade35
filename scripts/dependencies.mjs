import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runNpm, SetupError } from "./npm.mjs";

/**
 * Installs the dependencies unless those of the present package-lock.json are there. A complete installation costs a
 * later start one small hash. Several processes at once: one installs, the others wait for it.
 * @param {string} repository @param {string} node
 */
export async function ensureDependencies(repository, node) {
  if (await isInstalled(repository)) return;
  await alone(join(repository, ".runtime", "install.lock"), async () => {
    if (await isInstalled(repository)) return;
    await install(repository, node);
  });
}

async function isInstalled(repository) {
  const { modules, stamp, wanted } = stateOf(repository);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return true;
  const own = join(modules, ".package-lock.json");
  const lock = join(repository, "package-lock.json");
  if (!existsSync(own) || statSync(own).mtimeMs < statSync(lock).mtimeMs) return false;
  await writeFile(stamp, wanted).catch(() => undefined);
  return true;
}

/**
 * Exactly the locked versions, by their digests, and without any install script of theirs. It removes what was there
 * before: stop an installation that runs from this folder first.
 */
async function install(repository, node) {
  const { stamp, wanted } = stateOf(repository);
  console.error("Installing the dependencies (needed once, about a minute) ...");
  const options = { folder: repository, purpose: "Installing the dependencies" };
  await runNpm(node, ["ci", "--ignore-scripts"], options);
  await warm(repository, node);
  await writeFile(stamp, wanted);
}

/** What our own install script would do: compiled code for the first start, which works without it too. */
async function warm(repository, node) {
  const child = spawn(node, [join(repository, "scripts", "warm.mjs")], { cwd: repository, stdio: "ignore" });
  await new Promise((resolve) => {
    child.once("error", resolve);
    child.once("close", resolve);
  });
}

function stateOf(repository) {
  const modules = join(repository, "node_modules");
  const lock = readFileSync(join(repository, "package-lock.json"));
  return { modules, stamp: join(modules, ".talaria"), wanted: createHash("sha256").update(lock).digest("hex") };
}

/** Runs `work` while no other process does; a lock whose owner is dead is taken over. */
async function alone(lock, work) {
  try {
    await mkdir(join(lock, ".."), { recursive: true });
    while (!(await take(lock))) await sleep(200);
  } catch (error) {
    throw new SetupError(`Installing the dependencies failed: ${lock} can't be written (${error.code}).`, {
      cause: error,
    });
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock) {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const owner = Number(await readFile(lock, "utf8").catch(() => "0"));
  if (owner > 0 && !isRunning(owner)) await rm(lock, { force: true });
  return false;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return error.code === "EPERM";
  }
}
