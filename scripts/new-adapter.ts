// node scripts/new-adapter.ts <platform>: a package for an adapter, with a suite that fails until it is filled in.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { platformOf } from "@talaria/protocol";

const repository = fileURLToPath(new URL("..", import.meta.url));
const template = fileURLToPath(new URL("adapter-template", import.meta.url));
/** What the template is called; it compiles under this name. */
const placeholder = "loopback";
/** Names with a meaning of their own: `@talaria/adapter-kit` is a package, and the testkit's adapter is called loopback. */
const kept = ["kit", placeholder];

/**
 * Writes `packages/adapters/<platform>` below `root` and resolves with the paths of its files, from `root`. Throws a
 * sentence that names the remedy when the name is none or has a package.
 */
export async function newAdapter(platform: string, root = repository): Promise<readonly string[]> {
  if (kept.includes(platform)) throw new Error(`"${platform}" has a meaning of its own here: choose another name`);
  if (platformOf(platform) === undefined)
    throw new Error(
      `"${platform}" can't be a platform's name: lower-case letters, digits and dashes, beginning with a letter`,
    );
  const folder = join("packages", "adapters", platform);
  if (existsSync(join(root, folder))) throw new Error(`${folder} exists: the platform is there already`);
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
  const [word, title] = [identifier(platform), capitalised(platform)];
  return text
    .replaceAll(/\bloopback(?=[A-Z])/g, word)
    .replaceAll(placeholder, platform)
    .replaceAll(placeholder.toUpperCase(), platform.toUpperCase().replaceAll("-", "_"))
    .replaceAll(/(?<=[a-z])Loopback|Loopback(?=[A-Z])/g, capitalised(word))
    .replaceAll(capitalised(placeholder), title);
}

/** `pigeon-post` becomes `pigeonPost`. */
function identifier(platform: string): string {
  return platform.replaceAll(/-+(\w?)/g, (_, letter: string) => letter.toUpperCase());
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

if (import.meta.main) {
  try {
    for (const path of await newAdapter(process.argv[2] ?? "")) console.log(path);
    console.log(
      "Now the steps of CONTRIBUTING.md: its line in packages/platforms, npm install, and what is to be filled in.",
    );
  } catch (error) {
    console.error(`new-adapter: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
