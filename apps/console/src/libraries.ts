import { readdir } from "node:fs/promises";

/** Libraries that the workers use, as modules import them; each is one module. Those of the page are in its bundle. */
const names = ["@speed-highlight/core/tokenize"] as const;

/** Turns LaTeX into MathML: no module but a script, for a thread that is begun when a formula is shown. */
const formulas = new URL("temml.min.js", import.meta.resolve("temml"));

/** Grammars of programming languages: each a module that is loaded when code in it is shown. */
const grammars = new URL("languages/", import.meta.resolve("@speed-highlight/core"));

/** Where each library is served below `/console/`, and its file. */
export async function libraries(): Promise<readonly [string, URL][]> {
  const languages = (await readdir(grammars)).filter((name) => name.endsWith(".js"));
  return [
    ...names.map((name): [string, URL] => [vendored(name), new URL(import.meta.resolve(name))]),
    ["vendor/temml.js", formulas],
    ...languages.map((name): [string, URL] => [`vendor/languages/${name}`, new URL(name, grammars)]),
  ];
}

/** The path of a library below `/console/`. Throws for one that is not served. */
export function placeOfLibrary(name: string): string {
  if ((names as readonly string[]).includes(name)) return vendored(name);
  throw new Error(`${name} is no library of the console: see libraries.ts`);
}

function vendored(name: string): string {
  return `vendor/${name.replace(/^@/, "").replaceAll("/", "-")}.js`;
}
