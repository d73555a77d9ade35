import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const left = new Set(["node_modules", ".git", ".runtime", "tmp", "coverage"]);

export interface RanNode {
  readonly code: number;
  readonly output: string;
}

/** The sources of this repository in a folder of their own, where a test may change them. Libraries are shared, ours are not. */
export class RepositoryCopy implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<RepositoryCopy> {
    const copy = new RepositoryCopy(await mkdtemp(join(tmpdir(), "talaria-copy-")));
    const entries = (await readdir(root)).filter((name) => !left.has(name));
    await Promise.all(entries.map((name) => cp(join(root, name), copy.path(name), { recursive: true })));
    await mkdir(copy.path("node_modules/@talaria"), { recursive: true });
    const libraries = (await readdir(join(root, "node_modules"))).filter((name) => name !== "@talaria");
    await Promise.all(
      libraries.map((name) => symlink(join(root, "node_modules", name), copy.path("node_modules", name))),
    );
    for (const name of await readdir(join(root, "node_modules/@talaria")))
      await copy.link(name, await readlink(join(root, "node_modules/@talaria", name)));
    return copy;
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  /** What `npm install` does for a package of ours; `target` counts from `node_modules/@talaria`. */
  async link(name: string, target: string): Promise<void> {
    await symlink(target, this.path("node_modules/@talaria", name));
  }

  /** Every file by its path, with what is in it. */
  async files(): Promise<ReadonlyMap<string, string>> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    return new Map(paths.map((path, n) => [path.slice(this.folder.length + 1), texts[n] ?? ""]));
  }

  /** Runs Node.js in the copy to its end. */
  async node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RanNode> {
    const { NODE_TEST_CONTEXT, DATABASE_URL, REDIS_URL, OPENAI_API_KEY, ...inherited } = process.env;
    const options = { cwd: this.folder, env: { ...inherited, ...env }, maxBuffer: 2 ** 24 };
    return new Promise((resolve) =>
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` }),
      ),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
