import { readRepository, type SourceFile } from "../architecture/repository.ts";

/** A fenced block of a page. */
export interface DocumentBlock {
  readonly page: string;
  /** Of its first line of text, from 1. */
  readonly line: number;
  readonly language: string;
  /** Why it isn't run: what follows `not run:` in its info string. */
  readonly notRun: string | undefined;
  /** Without the indentation of its fence. */
  readonly text: string;
}

/** Every fenced block of the pages for people. */
export function documentBlocks(...languages: readonly string[]): readonly DocumentBlock[] {
  return pagesForPeople()
    .flatMap(({ path, text }) => blocksOf(path, text))
    .filter(({ language }) => languages.includes(language));
}

/** `README.md`, `docs`, and the guides of the platforms. */
export function pagesForPeople(): readonly SourceFile[] {
  return readRepository().filter(
    ({ path }) => path === "README.md" || /^docs\/|^packages\/adapters\/\w+\/GUIDE\.md$/.test(path),
  );
}

/** The info string of a fence is `<language>` or `<language> not run: <reason>`. */
export function blocksOf(page: string, text: string): readonly DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let open: { indent: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, row] of text.split("\n").entries()) {
    const fence = /^( *)```(.*)$/.exec(row);
    if (open === undefined && fence !== null)
      open = { indent: fence[1] ?? "", info: (fence[2] ?? "").trim(), line: index + 2, lines: [] };
    else if (open !== undefined && fence !== null) {
      const [, language = "", notRun] = /^(\S*)(?:\s+not run:\s*(.+))?/.exec(open.info) ?? [];
      blocks.push({ page, line: open.line, language, notRun, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else open?.lines.push(row.startsWith(open.indent) ? row.slice(open.indent.length) : row);
  }
  return blocks;
}
