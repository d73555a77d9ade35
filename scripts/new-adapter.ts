// node scripts/new-adapter.ts <platform>: a package for an adapter, with a suite that fails until it is filled in.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platforms } from "@talaria/protocol";

const repository = fileURLToPath(new URL("..", import.meta.url));
const template = fileURLToPath(new URL("adapter-template", import.meta.url));
/** What the template is called; it compiles under this name. */
const placeholder = "loopback";

/**
 * Writes `packages/adapters/<platform>` below `root` and resolves with the paths of its files, from `root`. Throws a
 * sentence that names the remedy when the platform is unknown or has a package.
 */
export async function newAdapter(platform: string, root = repository): Promise<readonly string[]> {
  if (!platforms.some((known) => known === platform))
    throw new Error(`"${platform}" is no platform: add it to packages/protocol/src/conversation.ts first`);
  const folder = join("packages", "adapters", platform);
  if (existsSync(join(root, folder))) throw new Error(`${folder} exists`);
  const names = await readdir(template, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const written = files.map((file) => ({ file, path: join(folder, file.slice(template.length + 1)) }));
  for (const { file, path } of written) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), rename(await readFile(file, "utf8"), platform));
  }
  return written.map(({ path }) => path).sort();
}

function rename(text: string, platform: string): string {
  return text.replaceAll(placeholder, platform).replaceAll(capitalised(placeholder), capitalised(platform));
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

if (import.meta.main) {
  try {
    for (const path of await newAdapter(process.argv[2] ?? "")) console.log(path);
    console.log("Now: npm install, and the steps of CONTRIBUTING.md.");
  } catch (error) {
    console.error(`new-adapter: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
