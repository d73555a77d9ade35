const mostLineChars = 6_000;
const mostChars = 400_000;
const mostLabelChars = 200;
const mostAddressChars = 500;

export interface SnapshotElement {
  /** Role and name as people who approve read them: `button "Send"`; without a name, the text: `generic: Menu`. */
  readonly label: string;
}

export interface ReadTree {
  readonly lines: readonly string[];
  readonly elements: ReadonlyMap<string, SnapshotElement>;
  readonly isCut: boolean;
}

/** Roles that nobody clicks on, unless the page shows a pointer there. */
const quiet: ReadonlySet<string> = new Set(
  (
    "alert article banner blockquote caption code complementary contentinfo definition deletion document emphasis figure form generic " +
    "group heading img insertion list listitem main mark meter navigation note paragraph region row rowgroup search separator status " +
    "strong subscript superscript table term text time iframe"
  ).split(" "),
);
/** Their text is what stands in them, no part of what they are called. */
const filled: ReadonlySet<string> = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider"]);
const flags = ["checked", "disabled", "expanded", "invalid", "level", "pressed", "selected"];

interface Reading {
  readonly base: string;
  readonly lines: string[];
  readonly elements: Map<string, SnapshotElement>;
  chars: number;
}

/**
 * The tree that Playwright's `ariaSnapshotJSON` gives, in lines: `- button "Send" [ref=e3]`. It comes from a page, so nothing is
 * taken for granted: names and texts lose their line breaks, and what has another form is left out. At most 400,000 characters.
 */
export function readTree(tree: unknown, base: string): ReadTree {
  const reading: Reading = { base, lines: [], elements: new Map(), chars: 0 };
  for (const node of listOf(tree)) readNode(node, 0, reading);
  return { lines: reading.lines, elements: reading.elements, isCut: reading.chars > mostChars };
}

function readNode(node: unknown, depth: number, reading: Reading): void {
  if (typeof node === "string") addLine(depth, `text: ${oneLine(node)}`, reading);
  if (typeof node !== "object" || node === null || reading.chars > mostChars) return;
  const fields: Readonly<Record<string, unknown>> = { ...node };
  const role = /^[a-z]{1,30}$/.exec(stringOf(fields.role))?.[0] ?? "generic";
  const name = oneLine(stringOf(fields.name));
  const text = oneLine(stringOf(fields.text));
  const ref = /^(?:f\d+)?e\d+$/.exec(stringOf(fields.ref))?.[0];
  const isUsable = ref !== undefined && (!quiet.has(role) || fields.cursor === "pointer");
  const children = listOf(fields.children);
  if (role === "generic" && !isUsable && name === "" && text === "") {
    for (const child of children) readNode(child, depth, reading);
    return;
  }
  const label = labelOf(role, name, text);
  const rest = label.endsWith(`: ${text}`) || text === "" ? "" : `: ${text}`;
  const marks = flags.flatMap((flag) => markOf(flag, fields[flag]));
  if (isUsable) {
    marks.push(`[ref=${ref}]`);
    reading.elements.set(ref, { label });
  }
  const address = addressOf(stringOf(fields.url), reading.base);
  addLine(depth, [label, ...marks, ...(address === undefined ? [] : [address])].join(" ") + rest, reading);
  for (const child of children) readNode(child, depth + 1, reading);
}

function labelOf(role: string, name: string, text: string): string {
  if (name !== "") return `${role} ${JSON.stringify(cut(name))}`;
  return text === "" || filled.has(role) ? role : `${role}: ${cut(text)}`;
}

function cut(text: string): string {
  return text.length > mostLabelChars ? `${text.slice(0, mostLabelChars).toWellFormed()}…` : text;
}

function markOf(flag: string, value: unknown): readonly string[] {
  if (value === true) return [`[${flag}]`];
  return typeof value === "number" || value === "mixed" ? [`[${flag}=${value}]`] : [];
}

/** Whole, so that it can be opened as it stands. */
function addressOf(text: string, base: string): string | undefined {
  const url = text !== "" && URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined;
  return url.href.length > mostAddressChars ? undefined : url.href;
}

function addLine(depth: number, text: string, reading: Reading): void {
  if (reading.chars > mostChars) return;
  const short = text.length > mostLineChars ? `${text.slice(0, mostLineChars).toWellFormed()}…` : text;
  const line = `${"  ".repeat(Math.min(depth, 20))}- ${short}`;
  reading.lines.push(line);
  reading.chars += line.length + 1;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
