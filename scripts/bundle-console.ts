import { mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);
/** What the console's pages name, each with all that it imports: a first visit asks for three files instead of eighty. */
const entries = ["console.js", "login.js", "page.css"] as const;

/** Where the bundles are kept, since nobody who only starts Talaria has a bundler. */
export const bundleFolder = new URL("apps/console/bundle/", root);

/** The bundles by their names. The same sources give the same bytes, wherever the repository is. */
export async function bundles(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: entries.map((name) => `apps/console/src/public/${name}`),
    outdir: "bundle",
    bundle: true,
    format: "esm",
    target: "es2024",
    minify: true,
    charset: "utf8",
    // Licences of what is in it.
    legalComments: "eof",
    logLevel: "error",
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
}

if (import.meta.main) {
  await mkdir(bundleFolder, { recursive: true });
  for (const [name, text] of await bundles()) await writeFile(new URL(name, bundleFolder), text);
}
