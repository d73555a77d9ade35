import { isTest, type SourceFile } from "./repository.ts";

/** Where people are written to. What they read there is in `packages/words`. */
const watched = /^(?:packages\/(?:sessions|delivery|adapters\/[\w-]+)|apps\/(?:gateway|worker))\/src\//;

/** Sentences that nobody in a conversation reads, and who does. */
const forOthers: readonly (readonly [path: string, reader: string])[] = [
  ["apps/worker/src/authorise.ts", "the model, and an operator"],
  ["apps/worker/src/fact-access.ts", "the model"],
  ["apps/worker/src/mcp-servers.ts", "the operator"],
  ["apps/worker/src/needs-person.ts", "the model"],
  ["apps/worker/src/told-entries.ts", "the model"],
  ["apps/worker/src/worth-keeping.ts", "the model"],
  ["apps/worker/src/writing-hint.ts", "the model"],
  ["packages/adapters/discord/src/adapter.ts", "the operator"],
  ["packages/adapters/discord/src/platform.ts", "the operator, and the model"],
  ["packages/adapters/email/src/adapter.ts", "the operator"],
  ["packages/adapters/email/src/own-probes.ts", "whoever finds our own mail"],
  ["packages/adapters/email/src/platform.ts", "the operator, and the model"],
  ["packages/adapters/email/src/tls-fault.ts", "the operator"],
  ["packages/adapters/matrix/src/adapter.ts", "the operator"],
  ["packages/adapters/matrix/src/platform.ts", "the operator, and the model"],
  ["packages/adapters/slack/src/connect.ts", "the operator"],
  ["packages/adapters/slack/src/platform.ts", "the operator, and the model"],
  ["packages/adapters/telegram/src/connect.ts", "the operator"],
  ["packages/adapters/telegram/src/platform.ts", "the operator, and the model"],
  ["packages/adapters/telegram/src/refused-updates.ts", "the operator"],
  ["packages/adapters/web/src/platform.ts", "the model"],
  ["packages/adapters/webhook/src/platform.ts", "the model"],
  ["packages/adapters/whatsapp/src/cloud/errors.ts", "the operator"],
  ["packages/adapters/whatsapp/src/platform.ts", "the operator, and the model"],
];

/** What people read and that is still outside of the catalogue. The list only gets shorter. */
const pending: readonly string[] = [];

/** Texts of the code that are sentences: a capital, two words or more, and an end such as a full stop. */
export function sentencesIn(source: string): readonly string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
  const texts = code.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? [];
  return texts.filter((text) => /(?:^["'`]|[ (])[A-Z][\w'’]* [^"]*\w+[`'")*]?[.!?](?:[\s"'`]|$)/.test(text));
}

/** Sentences to people outside of the catalogue, one line each. */
export function sentenceViolations(files: readonly SourceFile[]): readonly string[] {
  const isKnown = (path: string) => pending.includes(path) || forOthers.some(([place]) => place === path);
  return watchedIn(files)
    .filter(({ path }) => !isKnown(path))
    .flatMap(({ path, text }) => sentencesIn(text).map((sentence) => `${path} says ${sentence}`));
}

/** Files of the lists above that have no sentence any more. */
export function idlePlaces(files: readonly SourceFile[]): readonly string[] {
  const saying = new Set(watchedIn(files).flatMap(({ path, text }) => (sentencesIn(text).length === 0 ? [] : [path])));
  return [...pending, ...forOthers.map(([path]) => path)].filter((path) => !saying.has(path));
}

function watchedIn(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ path }) => watched.test(path) && path.endsWith(".ts") && !isTest(path));
}
