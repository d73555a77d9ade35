import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ConsoleFile, toConsoleFile } from "./console-file.ts";
import { libraries, placeOfLibrary } from "./libraries.ts";
import { withPlaces } from "./module-imports.ts";

export { type ConsoleFile, toConsoleFile } from "./console-file.ts";

/** Served as they are. Workers load what they need when they are begun. */
const sources = ["index.html", "login.html", "icon.svg", "formula-worker.js", "highlight-worker.js"];
/** Written by `scripts/bundle-console.ts` from everything else in `public`, libraries included. */
const bundles = ["console.js", "login.js", "page.css"];
const pages = ["index.html", "login.html"];

export interface ConsoleFiles {
  /** By their paths below `/console/`. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** A folder below `/console/` that holds the same files, and never others: it changes with them. The page begins with those. */
  readonly version: string;
}

/**
 * Reads every file of the console. Workers name libraries as they do in Node.js; here the names become the paths at which the libraries are
 * served.
 */
export async function loadConsole(): Promise<ConsoleFiles> {
  const places: readonly [string, URL][] = [
    ...inFolder("./public/", sources),
    ...inFolder("../bundle/", bundles),
    ...(await libraries()),
  ];
  const bodies = new Map(await Promise.all(places.map(readPlace)));
  const version = versionOf(bodies);
  for (const name of pages) {
    const page = bodies.get(name)?.toString() ?? "";
    bodies.set(name, Buffer.from(page.replaceAll(/(<(?:link|script)\b[^>]*\s(?:href|src)=")/g, `$1${version}/`)));
  }
  const read = [...bodies].map(async ([name, body]) => [name, await toConsoleFile(name, body)] as const);
  return { files: new Map(await Promise.all(read)), version };
}

function versionOf(bodies: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, body] of [...bodies].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(`${name} ${body.byteLength}\n`).update(body);
  return `v-${hash.digest("base64url").slice(0, 16)}`;
}

function inFolder(folder: string, names: readonly string[]): readonly [string, URL][] {
  return names.map((name) => [name, new URL(`${folder}${name}`, import.meta.url)]);
}

async function readPlace([name, place]: readonly [string, URL]): Promise<[string, Buffer]> {
  const body = await readFile(place);
  if (!name.endsWith("-worker.js")) return [name, body];
  return [name, Buffer.from(withPlaces(name, body.toString(), placeOfLibrary))];
}
