/** Libraries that the pages use, as modules import them; each is one module. */
const names = [
  "@preact/signals",
  "@preact/signals-core",
  "dompurify",
  "htm",
  "marked",
  "preact",
  "preact/hooks",
] as const;

/** Where each library is served below `/console/`, and its file. */
export function libraries(): readonly [string, URL][] {
  return names.map((name) => [vendored(name), new URL(import.meta.resolve(name))]);
}

/** The path of a library below `/console/`. Throws for one that is not served. */
export function placeOfLibrary(name: string): string {
  if ((names as readonly string[]).includes(name)) return vendored(name);
  throw new Error(`${name} is no library of the console: see libraries.ts`);
}

function vendored(name: string): string {
  return `vendor/${name.replace(/^@/, "").replaceAll("/", "-")}.js`;
}
