/** Containers nested deeper than this are not parsed. */
export const maxNesting = 50;

/** Measured: up to these limits the parser's time is proportional to the text; beyond them it needs far more. */
const limits = {
  /** UTF-16 units. */
  length: 64 * 1024,
  /** Lines with text outside fences; a block may start at each. */
  lines: 500,
  /** All lines, including blank ones and code. */
  breaks: 4_000,
  /** Runs of `*`, `_`, `~` and brackets between two blank lines: the parser pairs each with each. */
  delimitersPerBlock: 400,
  /** Runs of backticks, ampersands, and what may begin a formula or a tag, in the whole text: each costs more than a long word. */
  tokens: 2_000,
  /** What may begin a comment or a declaration of HTML, which is sought to the end of its paragraph. */
  declarations: 200,
  /** Cells of a table row. */
  pipesPerLine: 200,
};

/** Whether parsing would take long or overflow the stack. Reads the text once. */
export function isCostly(markdown: string): boolean {
  if (markdown.length > limits.length) return true;
  const lines = markdown.split("\n");
  return lines.length > limits.breaks || areCostly(lines);
}

function areCostly(lines: readonly string[]): boolean {
  const scan = { fence: undefined as Fence | undefined, delimiters: 0, tokens: 0, declarations: 0, lines: 0 };
  for (const line of lines) {
    if (scan.fence !== undefined) {
      scan.fence = afterLine(scan.fence, line);
      if (scan.fence !== undefined) continue;
    }
    scan.fence = fenceAt(line);
    if (scan.fence !== undefined || line.trim() === "") {
      scan.delimiters = 0;
      continue;
    }
    scan.lines += 1;
    if (scan.lines > limits.lines || containersAt(line) > maxNesting) return true;
    scan.delimiters += count(line, /\*+|_+|~+|[[\]]/g);
    scan.tokens += count(line, /`+|&|<|\\[([]|\$+/g);
    scan.declarations += count(line, /<[!?]/g);
    if (scan.tokens > limits.tokens || scan.declarations > limits.declarations) return true;
    if (scan.delimiters > limits.delimitersPerBlock || count(line, /\|/g) > limits.pipesPerLine) return true;
  }
  return false;
}

interface Fence {
  readonly indent: number;
  readonly marker: string;
}

/**
 * The fence that certainly opens on this line. Inside a quote this is uncertain; then code counts as text,
 * which at worst leaves a harmless text unformatted.
 */
function fenceAt(line: string): Fence | undefined {
  const [, indent = "", marker = "", info = ""] = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (marker === "" || (marker.startsWith("`") && info.includes("`"))) return undefined;
  return { indent: indent.length, marker };
}

/** The fence after a line: still open, or undefined if the line closes it or lies outside. */
function afterLine(fence: Fence, line: string): Fence | undefined {
  const text = line.trim();
  if (text === "") return fence;
  if (line.search(/\S/) < fence.indent) return undefined;
  const closes = text.length >= fence.marker.length && text === text.charAt(0).repeat(text.length);
  return closes && text.charAt(0) === fence.marker.charAt(0) ? undefined : fence;
}

/** How deeply a line that starts with quote or list markers may be nested: one level per marker, and one per two columns before it. */
function containersAt(line: string): number {
  const markers = /^(?:\s*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/.exec(line)?.[0];
  if (markers === undefined) return 0;
  return count(markers, />|[-+*]|\d[.)]/g) + Math.floor(markers.search(/\S/) / 2);
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}
