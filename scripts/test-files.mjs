import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "./prepare.mjs";

/**
 * Packages whose test files need a process each: they look at what one loads or change what all of it shares, or are slow
 * enough to run side by side.
 */
const separate = [
  "packages/adapters/whatsapp",
  "packages/delivery",
  "packages/models",
  "packages/postgres",
  "packages/queue",
  "packages/store",
];

/** Test files that run in a process each. With those of `gather` they are the whole suite that needs nothing from outside. */
export const hermetic = [
  ...separate.map((folder) => `${folder}/src/**/*.test.ts`),
  "apps/*/src/**/*.test.ts",
  "tests/{architecture,hostile,integration,recovery}/**/*.test.ts",
  "scripts/*.test.mjs",
];

/**
 * Writes a file for each other package that imports its tests, and resolves with their paths: to start a process costs
 * more than most tests do.
 */
export async function gather(folder) {
  const packages = await Promise.all(["packages", "packages/adapters"].map(foldersIn));
  const together = packages.flat().filter((each) => each !== "packages/adapters" && !separate.includes(each));
  return (await Promise.all(together.map((each) => writeGathered(each, folder)))).flat();
}

async function foldersIn(folder) {
  const entries = await readdir(join(repository, folder), { withFileTypes: true });
  return entries.filter((each) => each.isDirectory()).map(({ name }) => `${folder}/${name}`);
}

async function writeGathered(name, folder) {
  const source = join(repository, name, "src");
  const files = (await readdir(source, { recursive: true })).filter((each) => each.endsWith(".test.ts")).sort();
  if (files.length === 0) return [];
  const seed = pathToFileURL(join(repository, "tests/support/seed.mjs")).href;
  const lines = files.map((each) => `await import(${JSON.stringify(pathToFileURL(join(source, each)).href)});\n`);
  const gathered = join(folder, `${name.replaceAll("/", "-")}.test.mjs`);
  await writeFile(gathered, [`import ${JSON.stringify(seed)};\n`, ...lines].join(""));
  return [gathered];
}
