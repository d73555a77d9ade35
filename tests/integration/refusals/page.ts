import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What one refusal or failure looks like from each side. A cell without words says so in parentheses. */
export interface Row {
  readonly code: string;
  readonly person: string;
  readonly owner: string;
  readonly status: string;
  readonly why: string;
  readonly log: string;
  readonly metric: string;
}

const path = join(import.meta.dirname, "..", "..", "..", "docs", "building", "refusals.md");

const head = `# Who gets no answer, and who reads what

Made by \`tests/integration/refusals.test.ts\` and the tests in \`tests/integration/refusals\`, which drive each of these and fail when this page says
anything else; with \`WRITE_REFUSALS=1\`, one after the other, they write the page. Numbers and codes that differ each time stand as \`CODE\`, \`NUMBER\` and \`TIME\`.
`;

/** A chapter of the page: `about` stands above its table. Fails when the page does not hold it, or writes it where the environment says so. */
export async function checkChapter(title: string, about: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows)
    for (const [side, words] of Object.entries(row)) assert.notEqual(words.trim(), "", `${row.code}: ${side} is empty`);
  const chapter = [
    `## ${title}`,
    "",
    about,
    "",
    "| code | whoever wrote reads | owners read | `status` | `why` | log | metric |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map(({ code, person, owner, status, why, log, metric }) =>
      cells([`\`${code}\``, person, owner, status, why, log, `\`${metric}\``]),
    ),
    "",
  ].join("\n");
  const page = await readFile(path, "utf8").catch(() => head);
  const found = chapterOf(page, title);
  if (process.env.WRITE_REFUSALS === "1") {
    const next =
      found === undefined
        ? `${page.trimEnd()}\n\n${chapter}`
        : page.replace(found, () => `${chapter}${page.endsWith(found) ? "" : "\n"}`);
    await writeFile(path, next);
    return;
  }
  assert.equal(
    found?.trimEnd(),
    chapter.trimEnd(),
    "docs/building/refusals.md is not what is said: run this with WRITE_REFUSALS=1",
  );
}

function chapterOf(page: string, title: string): string | undefined {
  const begin = page.indexOf(`## ${title}\n`);
  if (begin === -1) return undefined;
  const end = page.indexOf("\n## ", begin);
  return page.slice(begin, end === -1 ? undefined : end + 1);
}

function cells(words: readonly string[]): string {
  const one = words.map((word) =>
    word
      .replaceAll("|", "\\|")
      .replaceAll(/\s*\n\s*/g, " ")
      .trim(),
  );
  return `| ${one.join(" | ")} |`;
}

/** Without what differs each time. */
export function steady(words: string): string {
  return words
    .replaceAll(/`[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}`/g, "`CODE`")
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/g, "CODE")
    .replaceAll(/\b[0-9a-f]{8}\b/g, "NUMBER")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b(?:\d{1,2} [A-Z][a-z]{2} )?(?:\d{4} )?\d\d:\d\d UTC/g, "TIME")
    .replaceAll(/-?\b\d{5,}\b/g, "ID")
    .replaceAll(/after \d+(?:\.\d+)? (?:ms|s|seconds?)/g, "after a while");
}
