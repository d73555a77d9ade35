import { fieldOf, type MimeNode, parseMime } from "./mime-tree.ts";
import type { TakenMail } from "./smtp-sink.ts";

/** A mail as its reader sees it. */
export interface SeenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[];
  /** The whole mail, latin1. */
  readonly raw: string;
  /** Unfolded; empty when there is none. */
  header(name: string): string;
}

export function seenMail({ from, to, raw }: TakenMail): SeenMail {
  const root = parseMime(raw);
  const leaves = leavesOf(root);
  const textOf = (subtype: string) => {
    const node = leaves.find((leaf) => leaf.type === "text" && leaf.subtype === subtype && !isFile(leaf));
    return node === undefined ? "" : Buffer.from(bytesOf(node)).toString("utf8").replaceAll("\r\n", "\n").trimEnd();
  };
  return {
    from,
    to,
    raw,
    messageId: fieldOf(root.header, "message-id"),
    subject: decodeWords(fieldOf(root.header, "subject")),
    text: textOf("plain"),
    html: textOf("html"),
    files: leaves.filter(isFile).map((node) => ({
      name: fileNameOf(node),
      type: `${node.type}/${node.subtype}`,
      bytes: bytesOf(node),
    })),
    header: (name) => fieldOf(root.header, name),
  };
}

/** Plain, as words of RFC 2047, or in the numbered pieces of RFC 2231. */
function fileNameOf({ disposition }: MimeNode): string {
  const pairs = disposition?.[1] ?? [];
  const plain = pairs.find(([name]) => name === "filename")?.[1];
  if (plain !== undefined) return decodeWords(plain);
  const pieces = pairs.filter(([name]) => /^filename\*(\d+\*?)?$/.test(name)).map(([, value]) => value);
  return decodeURIComponent(pieces.join("").replace(/^utf-8''/i, ""));
}

function leavesOf(node: MimeNode): readonly MimeNode[] {
  return node.parts.length === 0 ? [node] : node.parts.flatMap(leavesOf);
}

function isFile({ disposition }: MimeNode): boolean {
  return disposition?.[0] === "attachment";
}

function bytesOf({ body, encoding }: MimeNode): Uint8Array {
  if (encoding === "base64") return Buffer.from(body, "base64");
  if (encoding !== "quoted-printable") return Buffer.from(body, "latin1");
  return Buffer.from(unquote(body.replace(/=\r\n/g, "")), "latin1");
}

function unquote(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Words of RFC 2047, as far as UTF-8. */
function decodeWords(text: string): string {
  return text
    .replace(/(\?=)\s+(?==\?)/g, "$1")
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, body: string) => {
      const bytes =
        kind.toUpperCase() === "B"
          ? Buffer.from(body, "base64")
          : Buffer.from(unquote(body.replaceAll("_", " ")), "latin1");
      return bytes.toString("utf8");
    });
}
