import { readFile } from "node:fs/promises";

export interface ConsoleFile {
  /** Content type, with charset for text. */
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const own = [
  "index.html",
  "console.css",
  "steps.css",
  "console.js",
  "token.js",
  "api.js",
  "read-events.js",
  "choices.js",
  "composer.js",
  "connections.js",
  "servers.js",
  "login.html",
  "login.js",
  "chosen-files.js",
  "shown-files.js",
  "new-id.js",
  "steps.js",
  "done-steps.js",
  "transcript.js",
  "markdown.js",
  "markdown-syntax.js",
  "address-beside.js",
  "alert-mark.js",
  "alerts.js",
  "awaited-links.js",
  "character-references.js",
  "close-markdown.js",
  "find-formula.js",
  "flanking.js",
  "formula-blocks.js",
  "html-syntax.js",
  "html-tags.js",
  "link-labels.js",
  "open-fence.js",
  "open-formula.js",
  "open-marks.js",
  "spread-pairs.js",
  "surplus-bars.js",
  "table-rows.js",
  "text-order.js",
  "icon.svg",
];

/** Libraries that the pages use, each one module without imports, by the name it is served under. */
const vendored = { "vendor/marked.js": "marked", "vendor/purify.js": "dompurify" };

/** Reads every file of the console, by its path below `/console/`. */
export async function loadConsole(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const places = [
    ...own.map((name): [string, URL] => [name, new URL(`./public/${name}`, import.meta.url)]),
    ...Object.entries(vendored).map(([name, library]): [string, URL] => [name, new URL(import.meta.resolve(library))]),
  ];
  return new Map(await Promise.all(places.map(readPlace)));
}

async function readPlace([name, place]: [string, URL]): Promise<[string, ConsoleFile]> {
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  return [name, { type, body: await readFile(place) }];
}
