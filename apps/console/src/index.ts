import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ConsoleFile, toConsoleFile } from "./console-file.ts";
import { libraries, placeOfLibrary } from "./libraries.ts";
import { importsOf, withPlaces } from "./module-imports.ts";

export { type ConsoleFile, toConsoleFile } from "./console-file.ts";

const folder = new URL("./public/", import.meta.url);
/** The page, and the module that it begins with. */
const entry = { page: "index.html", module: "console.js" };

export interface ConsoleFiles {
  /** By their paths below `/console/`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** A folder below `/console/` that holds the same files, and never others: it changes with them. The page begins with those. */
  readonly version: string;
}

/**
 * Reads every file of the console. Modules name libraries as they do in Node.js; here the names become
 * the paths at which the libraries are served, and the page is told of all modules at once, so that it need not find them one after the
 * other. Throws when a module imports what is not served.
 */
export async function loadConsole(): Promise<ConsoleFiles> {
  const places = new Map([...(await ownPlaces()), ...(await libraries())]);
  const sources = new Map(await Promise.all([...places].map(readPlace)));
  for (const [name, source] of sources) {
    if (name.endsWith(".js")) sources.set(name, Buffer.from(withPlaces(name, source.toString(), placeOfLibrary)));
  }
  const page = sources.get(entry.page)?.toString() ?? "";
  const version = versionOf(sources);
  const whole = withPreloads(page, modulesBehind(entry.module, sources)).replaceAll(
    /(<(?:link|script)\b[^>]*\s(?:href|src)=")/g,
    `$1${version}/`,
  );
  sources.set(entry.page, Buffer.from(whole));
  const read = [...sources].map(async ([name, body]) => [name, await toConsoleFile(name, body)] as const);
  return { files: new Map(await Promise.all(read)), version };
}

function versionOf(sources: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, body] of [...sources].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(`${name} ${body.byteLength}\n`).update(body);
  return `v-${hash.digest("base64url").slice(0, 16)}`;
}

async function ownPlaces(): Promise<readonly [string, URL][]> {
  const root = fileURLToPath(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => relative(root, `${each.parentPath}/${each.name}`).replaceAll(sep, "/"))
    .map((name) => [name, new URL(name, folder)]);
}

async function readPlace([name, place]: readonly [string, URL]): Promise<[string, Buffer]> {
  return [name, await readFile(place)];
}

/** The module and what it imports, directly and through others; not what is loaded when it is needed. */
function modulesBehind(first: string, sources: ReadonlyMap<string, Buffer>): readonly string[] {
  const found = new Set([first]);
  for (const name of found)
    for (const place of importsOf(name, sources.get(name)?.toString() ?? "")) {
      if (!sources.has(place)) throw new Error(`${name} imports ${place}, which the console does not serve`);
      found.add(place);
    }
  return [...found];
}

function withPreloads(page: string, modules: readonly string[]): string {
  const links = modules.map((name) => `<link rel="modulepreload" href="${name}" />\n  `);
  return page.replace("</head>", `${links.join("")}</head>`);
}
