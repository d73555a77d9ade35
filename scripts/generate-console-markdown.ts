import { readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";

/** What browsers run of the package `markdown`: each file stands by itself or imports others of the list. */
export const shared = [
  "address-beside",
  "alert-mark",
  "awaited-links",
  "character-references",
  "close-markdown",
  "find-formula",
  "flanking",
  "formula-blocks",
  "html-tags",
  "link-labels",
  "open-fence",
  "open-formula",
  "open-marks",
  "surplus-bars",
  "text-order",
] as const;

/** The file of the console that is written from one of the package. */
export function generatedPath(name: string): URL {
  return new URL(`../apps/console/src/public/${name}.js`, import.meta.url);
}

/** The source without its types. */
export async function withoutTypes(name: string): Promise<string> {
  const source = await readFile(new URL(`../packages/markdown/src/${name}.ts`, import.meta.url), "utf8");
  const plain = stripTypeScriptTypes(source).replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"');
  return `// Written by scripts/generate-console-markdown.ts.\n${plain}`;
}

if (import.meta.main) for (const name of shared) await writeFile(generatedPath(name), await withoutTypes(name));
