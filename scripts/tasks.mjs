import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { become, launch } from "./launch.mjs";
import { repository } from "./prepare.mjs";
import { gather, hermetic } from "./test-files.mjs";

const inRepository = (...path) => join(repository, ...path);
/** Each task takes the Node.js to use and the arguments, and resolves with an exit code. */
export const tasks = {
  start: (node, parameters) => talaria(node, ["start", ...parameters]),
  test: (node, parameters) => testFiles(node, hermetic, parameters, gather),
  interop: (node, parameters) => testFiles(node, ["tests/interop/**/*.test.ts"], parameters),
  e2e: (node, parameters) => testFiles(node, ["tests/e2e/**/*.test.ts"], parameters),
  bench: (node, parameters) => launch(node, [inRepository("tests", "bench", "main.ts"), ...parameters]),
  check,
};

export const taskNames = Object.keys(tasks);

/** Compiled code is kept between starts: without it each process carries the type stripper, some 23 MB. */
export const compileCache = inRepository(".runtime", "compile-cache");
/** Those of `apps/cli/src/start/node-flags.ts`: compiled code is kept per set of flags. */
const nodeFlags = ["--max-semi-space-size=2", "--v8-pool-size=1", "--expose-gc"];
/** `talaria`, as parameters of Node.js. */
export const program = [...nodeFlags, inRepository("apps", "cli", "src", "main.ts")];

export function talaria(node, parameters) {
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  return become(node, [...program, ...parameters]);
}

/** What a terminal or CI shows, and at the end what was left out and took longest. A reporter in the arguments replaces both. */
const reporters = ["spec", urlOf("closing-report.mjs")].flatMap((each) => [
  `--test-reporter=${each}`,
  "--test-reporter-destination=stdout",
]);

function urlOf(script) {
  return pathToFileURL(inRepository("scripts", script)).href;
}

/** Also in the processes of the files. */
const watched = ["--import", pathToFileURL(inRepository("tests", "support", "watchdog.mjs")).href];

async function check(node) {
  process.chdir(repository);
  const biome = await launch(node, [inRepository("node_modules", "@biomejs", "biome", "bin", "biome"), "check", "."]);
  const types = await launch(node, [inRepository("node_modules", "typescript", "bin", "tsc"), "--noEmit"]);
  const knip = [inRepository("node_modules", "knip", "bin", "knip.js"), "--no-progress", "--no-config-hints"];
  return biome || types || (await launch(node, knip));
}

/**
 * Runs test files with a temporary folder of their own, so that the PostgreSQL they share is nobody else's; it is stopped
 * and the folder removed at the end. Arguments replace the files; those with a leading dash go to `node --test`.
 */
async function testFiles(node, files, parameters, more = async () => []) {
  process.chdir(repository);
  const flags = parameters.filter((each) => each.startsWith("-"));
  const chosen = parameters.filter((each) => !each.startsWith("-"));
  const folder = await mkdtemp(join(tmpdir(), "talaria-tests-"));
  await chmod(folder, 0o755);
  // Files run in the order of their paths: those of the longest gathered one come first, wherever the repository is.
  await mkdir(inRepository(".runtime"), { recursive: true });
  const first = await mkdtemp(inRepository(".runtime", "tests-"));
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? compileCache;
  const environment = { TMPDIR: folder, TEMP: folder, TMP: folder, NODE_COMPILE_CACHE };
  try {
    // Tests of real processes wait for nearly half of their time.
    const concurrency = `--test-concurrency=${availableParallelism() + 2}`;
    const shown = flags.some((each) => each.startsWith("--test-reporter")) ? [] : reporters;
    const all = chosen.length > 0 ? chosen : [...files, ...(await more(first))];
    return await launch(node, ["--test", concurrency, ...watched, ...shown, ...flags, ...all], environment);
  } finally {
    await stopSharedPostgres(node, environment);
    for (const each of [folder, first]) await rm(each, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function stopSharedPostgres(node, environment) {
  const postgres = pathToFileURL(inRepository("packages", "postgres", "src", "index.ts")).href;
  const source = `const { stopTestPostgres } = await import(${JSON.stringify(postgres)}); await stopTestPostgres();`;
  await launch(node, ["--input-type=module", "--eval", source], environment);
}
