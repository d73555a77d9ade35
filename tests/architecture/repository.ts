import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One file of the repository. */
export interface SourceFile {
  /** From the root, with slashes: `packages/queue/src/index.ts`. */
  readonly path: string;
  readonly text: string;
}

/** The folder of one workspace: `packages/queue`, `apps/cli`. */
export interface Workspace {
  readonly folder: string;
  /** `@talaria/queue`, `@talaria/app-cli`. */
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly sources: readonly SourceFile[];
}

export const root = new URL("../../", import.meta.url);

const skippedFolders = new Set(["node_modules", ".git", ".runtime", "tmp", "coverage"]);
const textFile = /\.(ts|mts|js|mjs|json|md|yaml|yml|sql|css|html|svg|sh)$|^[^.]+$/;

/** Every text file of the repository, without what is installed, and without the lock file. */
export function readRepository(): readonly SourceFile[] {
  return listFiles("")
    .filter((path) => textFile.test(path.split("/").at(-1) ?? "") && path !== "package-lock.json")
    .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }));
}

/** Every file path below `folder`, from the root. */
function listFiles(folder: string): readonly string[] {
  const entries = readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listFiles(`${path}/`);
    return entry.isFile() ? [path] : [];
  });
}

/** Every workspace of `packages` and `apps`. */
export function readWorkspaces(files: readonly SourceFile[]): readonly Workspace[] {
  const manifests = files.filter(({ path }) => /^(packages|packages\/adapters|apps)\/[^/]+\/package\.json$/.test(path));
  return manifests.map(({ path, text }) => {
    const folder = path.slice(0, -"/package.json".length);
    const manifest = JSON.parse(text) as { name: string; dependencies?: Record<string, string> };
    const sources = files.filter((file) => file.path.startsWith(`${folder}/src/`) && /\.[tj]s$/.test(file.path));
    return { folder, name: manifest.name, dependencies: Object.keys(manifest.dependencies ?? {}), sources };
  });
}

/** Test files, and equipment that only tests use: `test-*.ts`, `*.fixture.ts` and the folders `testing` and `emulator`. */
export function isTest(path: string): boolean {
  return /(\.test\.ts|\.fixture\.ts|\/test-[^/]*\.ts)$/.test(path) || /(^tests|\/(testing|emulator))\//.test(path);
}
