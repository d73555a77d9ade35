import { homedir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { isTest, root, type SourceFile } from "./repository.ts";

const code = /\.(ts|mts|js|mjs)$/;

/** Made by `scripts/bundle-console.ts`; nobody reads it. */
const bundle = "apps/console/bundle/";

/** Files with too many lines that are not blank: 300, tests and their equipment 500. */
export function lengthViolations(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => code.test(path) && !path.startsWith(bundle))
    .map(({ path, text }) => ({ path, lines: text.split("\n").filter((line) => line.trim() !== "").length }))
    .filter(({ path, lines }) => lines > (isTest(path) || path.startsWith("packages/testkit/") ? 500 : 300))
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Absolute paths of this checkout, of this user and of the running Node.js, and homes of anybody. */
export function machinePathViolations(
  files: readonly SourceFile[],
  machinePaths: readonly string[] = pathsOfThisMachine(),
): readonly string[] {
  const anyHome = /(?:\/home\/(?!node\b|user\b|talaria\b)[a-z][\w-]*|\/Users\/[a-z][\w-]*|[A-Z]:\\Users\\\w+)[\\/]/i;
  return files.flatMap(({ path, text }) => {
    const found = machinePaths.find((known) => text.includes(`${known}/`)) ?? anyHome.exec(text)?.[0];
    return found === undefined ? [] : [`${path} names ${found}`];
  });
}

function pathsOfThisMachine(): readonly string[] {
  const checkout = fileURLToPath(root).replace(/\/$/, "");
  const runtime = dirname(dirname(process.execPath));
  const isOwn = (path: string) => path.split("/").length > 2 && !path.startsWith("/usr");
  return [...[checkout, runtime].filter(isOwn), ...(homedir().length > 1 ? [homedir()] : [])];
}
