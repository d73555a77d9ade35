import type { SourceFile } from "./repository.ts";

/** Where others' words are said, and why. */
const foreign: readonly (readonly [path: string, words: readonly string[], why: string])[] = [
  ["packages/adapters/discord/", ["dispatch", "manager", "handler"], "Discord's gateway and the classes of discord.js"],
  ["packages/adapters/discord/", ["placeholder"], "what Discord shows in a menu before something is selected"],
  ["apps/gateway/src/http/server.ts", ["handler"], "methods of Fastify"],
  ["packages/mcp/", ["handler"], "functions of the MCP SDK"],
  ["tests/hostile/desk-server.ts", ["handler"], "functions of the MCP SDK"],
  ["tests/hostile/office-server-process.ts", ["handler"], "functions of the MCP SDK"],
  ["packages/config/", ["placeholder"], "an unfilled value of a configuration that was copied"],
  ["packages/adapters/webhook/", ["placeholder"], "a part of a template that is filled in"],
  ["packages/adapters/whatsapp/", ["placeholder"], "WhatsApp's stand-in for a message that could not be decrypted"],
  ["packages/adapters/slack/", ["placeholder"], "what Slack shows in a menu before something is selected"],
  ["packages/adapters/telegram/", ["draft"], "Telegram's drafts"],
  ["tests/", ["draft"], "Telegram's drafts"],
  ["tests/interop/synapse.ts", ["handler"], "a key of Python's logging"],
  ["packages/models/src/dialect/", ["dispatch"], "how undici, below Node's fetch, sends a request"],
  ["packages/queue/", ["job"], "BullMQ's jobs"],
  ["packages/sandbox/src/sandbox/proxy.ts", ["manager"], "a class of Anthropic's sandbox runtime"],
  ["apps/worker/src/worker.fixture.ts", ["dispatch"], "the DOM's dispatchEvent"],
  ["tests/e2e/console-writing.test.ts", ["dispatch"], "the DOM's dispatchEvent"],
  ["scripts/", ["placeholder"], "a part of a template that is filled in"],
  [
    "tests/integration/bad-input/config-rows.ts",
    ["placeholder"],
    "an unfilled value of a configuration that was copied",
  ],
];

/** Words that are still said, and go with the next change of these files. The list only gets shorter. */
const pending: readonly (readonly [path: string, words: readonly string[]])[] = [];

/** The banned words of the dictionary: those in backticks in the last column of a table, and in its last sentence. */
export function bannedWords(dictionary: string): readonly string[] {
  const lines = dictionary.split("\n");
  const cells = lines.filter((line) => line.startsWith("| ")).map((line) => line.split("|").at(-2) ?? "");
  const closing = lines.filter((line) => line.startsWith("No name says "));
  return [...cells, ...closing].flatMap((text) => [...text.matchAll(/`([a-z]+)`/g)].map(([, word]) => word ?? ""));
}

/** Banned words in names of files and in identifiers, taken apart where a capital or a separator begins a new word. */
export function vocabularyViolations(files: readonly SourceFile[], banned: readonly string[]): readonly string[] {
  const isBanned = new Set(banned);
  return files
    .filter(({ path }) => /^(packages|apps|scripts|tests)\/.*\.(ts|mjs|sql)$/.test(path))
    .flatMap(({ path, text }) => {
      const isFound = (word: string) => isBanned.has(word) && !isForeign(path, word);
      return namesOf(path, text).flatMap((name) =>
        wordsOf(name)
          .filter(isFound)
          .map((word) => `${path}: ${name} says ${word}`),
      );
    });
}

/** The file's own name, and every identifier in it once. */
function namesOf(path: string, source: string): readonly string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
  const identifiers = [...code.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name);
  return [...new Set([path.split("/").at(-1) ?? "", ...identifiers])];
}

/** In small letters; a plural counts as its singular too. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .toLowerCase()
    .split(/[^a-z]+/);
  return words.flatMap((word) => (word.endsWith("s") ? [word, word.slice(0, -1)] : [word]));
}

function isForeign(path: string, word: string): boolean {
  return [...foreign, ...pending].some(([place, words]) => path.startsWith(place) && words.includes(word));
}

/** Exceptions that nobody needs any more. */
export function idleExceptions(files: readonly SourceFile[]): readonly string[] {
  return [...foreign, ...pending].flatMap(([place, words]) => {
    const own = files.filter(({ path }) => path.startsWith(place));
    const said = new Set(own.flatMap(({ path, text }) => namesOf(path, text).flatMap(wordsOf)));
    return words.filter((word) => !said.has(word)).map((word) => `${place} does not say ${word}`);
  });
}
