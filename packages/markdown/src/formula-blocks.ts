import { hasSigns } from "./find-formula.ts";

/** Longest formula that stands by itself, in UTF-16 units. */
const longestBlock = 4_000;

/** Marks of quotes and list items, and what follows them. */
const linePattern = /^((?:[ \t>]|(?:[-+*]|\d{1,9}[.)])[ \t])*)(.*)$/;

/** Formulas without any signs around them. */
const environmentPattern =
  /^\\begin\{((?:align|alignat|aligned|equation|gather|gathered|multline|eqnarray|split|cases|array|[bpvBV]?matrix)\*?)\}/;

interface Opened {
  readonly offset: number;
  readonly closing: string;
}

/**
 * Where formulas stand on lines of their own: the offset of the opening sign, and that behind the closing one, which ends
 * its line. There is no blank line between them. Reads the text once. What it finds in code is no formula.
 */
export function formulaBlocksIn(markdown: string): ReadonlyMap<number, number> {
  const blocks = new Map<number, number>();
  if (!/\\\[|\$\$|\\begin\{/.test(markdown)) return blocks;
  let opened: Opened | undefined;
  let from = 0;
  for (const line of markdown.split("\n")) {
    const [, before = "", body = ""] = linePattern.exec(line.trimEnd()) ?? [];
    const offset = from + before.length;
    const end = offset + body.length;
    if (endsAll.test(line) || endsAll.test(body)) opened = undefined;
    else if (opened !== undefined && isEnd(body, opened.closing)) {
      if (end - opened.offset <= longestBlock) blocks.set(opened.offset, end);
      opened = undefined;
    } else if (opened !== undefined && environmentPattern.test(body)) {
      // It is a part of the formula.
    } else if (isWhole(body)) blocks.set(offset, end);
    else opened = openedBy(body, offset) ?? opened;
    from += line.length + 1;
  }
  return blocks;
}

/** Blank lines, fences, and tabs, which make offsets uncertain. */
const endsAll = /^[\s>]*$|^(?:`{3}|~{3})|\t/;

function openedBy(body: string, offset: number): Opened | undefined {
  const closing = closingFor(body);
  return closing === undefined || body.includes(closing, 2) ? undefined : { offset, closing };
}

function closingFor(body: string): string | undefined {
  if (body.startsWith("\\[")) return "\\]";
  const environment = environmentPattern.exec(body)?.[1];
  if (environment !== undefined) return `\\end{${environment}}`;
  return /^\$\$(?!\$)/.test(body) ? "$$" : undefined;
}

/** Whether the closing sign ends the line, and nothing before it does. `\\]` is a line break of LaTeX and a bracket. */
function isEnd(body: string, closing: string): boolean {
  const end = body.length - closing.length;
  return end >= 0 && body.indexOf(closing) === end && !(closing === "\\]" && body.endsWith("\\\\]"));
}

/** A line that is one formula. Brackets escaped around a name, `\[x\]`, are brackets. */
function isWhole(body: string): boolean {
  const closing = closingFor(body);
  const inner = body.slice(2, -2);
  if (closing === undefined || inner.trim() === "" || !isEnd(body.slice(2), closing)) return false;
  return closing === "$$" || closing.startsWith("\\end") || /^\s.*\s$/.test(inner) || hasSigns(inner);
}
