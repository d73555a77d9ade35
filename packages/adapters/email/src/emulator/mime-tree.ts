/** One node of a message as IMAP numbers it. Texts are latin1: one character is one byte. */
export interface MimeNode {
  /** The lines before the empty line, each with its line end, and the empty line. */
  readonly header: string;
  readonly body: string;
  readonly type: string;
  readonly subtype: string;
  readonly parameters: readonly (readonly [string, string])[];
  readonly disposition: readonly [string, readonly (readonly [string, string])[]] | undefined;
  readonly encoding: string;
  readonly id: string | undefined;
  /** Of a multipart. */
  readonly parts: readonly MimeNode[];
  /** Of a message/rfc822. */
  readonly embedded: MimeNode | undefined;
}

/** Takes a message or a part of one apart. `depth` guards the stack, as servers do. */
export function parseMime(raw: string, fallback = "text/plain", depth = 0): MimeNode {
  const { header, body } = splitHeader(raw);
  const contentType = fieldOf(header, "content-type") || fallback;
  const [mime = fallback, parameters] = valueAndParameters(contentType);
  const [type = "text", subtype = "plain"] = mime.toLowerCase().split("/", 2);
  const disposition = fieldOf(header, "content-disposition");
  const boundary = parameters.find(([name]) => name === "boundary")?.[1];
  const isMultipart = type === "multipart" && boundary !== undefined && depth < 500;
  const childFallback = subtype === "digest" ? "message/rfc822" : "text/plain";
  return {
    header,
    body,
    type,
    subtype,
    parameters,
    disposition: disposition === "" ? undefined : named(valueAndParameters(disposition)),
    encoding: (fieldOf(header, "content-transfer-encoding") || "7bit").trim().toLowerCase(),
    id: fieldOf(header, "content-id") || undefined,
    parts: isMultipart ? partsOf(body, boundary).map((part) => parseMime(part, childFallback, depth + 1)) : [],
    embedded:
      type === "message" && subtype === "rfc822" && depth < 500 ? parseMime(body, undefined, depth + 1) : undefined,
  };
}

/** The node that a part number such as `2.1` names. A message of a single part has it as number 1, with its own header, as in Dovecot. */
export function nodeAt(root: MimeNode, [first = 0, ...path]: readonly number[]): MimeNode | undefined {
  let node = partOf(root, first);
  for (const number of path) {
    if (node === undefined) return undefined;
    node = node.embedded === undefined ? node.parts[number - 1] : partOf(node.embedded, number);
  }
  return node;
}

function partOf(message: MimeNode, number: number): MimeNode | undefined {
  if (message.type === "multipart") return message.parts[number - 1];
  return number === 1 ? message : undefined;
}

/** The unfolded value of the first field of this name, or an empty text. */
export function fieldOf(header: string, name: string): string {
  const match = new RegExp(`^${name}:((?:.*\\r?\\n)(?:[ \\t].*\\r?\\n)*)`, "im").exec(header);
  return match?.[1]?.replace(/\r?\n(?=[ \t])/g, "").trim() ?? "";
}

function splitHeader(raw: string): { header: string; body: string } {
  if (raw.startsWith("\r\n")) return { header: "\r\n", body: raw.slice(2) };
  const end = raw.indexOf("\r\n\r\n");
  return end === -1 ? { header: raw, body: "" } : { header: raw.slice(0, end + 4), body: raw.slice(end + 4) };
}

function partsOf(body: string, boundary: string): readonly string[] {
  const parts: string[] = [];
  const mark = `--${boundary}`;
  let start = -1;
  for (let at = body.startsWith(mark) ? 0 : after(body, mark, 0); at !== -1; at = after(body, mark, at + mark.length)) {
    if (start !== -1) parts.push(body.slice(start, Math.max(start, at - 2)));
    if (body.startsWith("--", at + mark.length)) return parts;
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd === -1) return parts;
    start = lineEnd + 2;
  }
  if (start !== -1) parts.push(body.slice(start));
  return parts;
}

function after(body: string, mark: string, from: number): number {
  const at = body.indexOf(`\r\n${mark}`, Math.max(0, from - 2));
  return at === -1 ? -1 : at + 2;
}

type Pairs = readonly (readonly [string, string])[];

function valueAndParameters(text: string): [string, Pairs] {
  const [value = "", ...rest] = text.match(/(?:"(?:\\.|[^"\\])*"|[^;"])+/g) ?? [];
  const pairs = rest.flatMap((part) => {
    const equals = part.indexOf("=");
    if (equals === -1) return [];
    const raw = part.slice(equals + 1).trim();
    const inner = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, "$1") : raw;
    return [[part.slice(0, equals).trim().toLowerCase(), inner] as const];
  });
  return [value.trim(), pairs];
}

function named([name, pairs]: [string, Pairs]): readonly [string, Pairs] {
  return [name.toLowerCase(), pairs];
}
