import { visibleText } from "@talaria/protocol";
import { cutEnd } from "./text.ts";

const maxNameChars = 80;

const tags = [
  "message",
  "overheard",
  "quoted",
  "attachment",
  "note",
  "person",
  "value",
  "untrusted",
  "checkpoint",
  "workspace_instructions",
  "facts",
];
/** A bracket before one of our tags, or before a name with letters or marks outside ASCII, which may look like one. */
const ownTag = new RegExp(
  `[<＜﹤‹⟨〈❮](?=[\\s\\u2800\\p{M}]*(?:/[\\s\\u2800\\p{M}]*)?(?:${tags.join("|")}|[a-z]*(?!\\p{ASCII})[\\p{L}\\p{M}]))`,
  "giu",
);

/** Text that cannot open, close or imitate any block. */
export function escapedText(text: string): string {
  return visibleText(text)
    .replaceAll("&", "&amp;")
    .replace(/[<＜﹤]/g, "&lt;")
    .replace(/[>＞﹥]/g, "&gt;")
    .replace(ownTag, "&lt;");
}

/** Text as it was written, except that nothing in it reads as one of our own blocks. */
export function plainText(text: string): string {
  return visibleText(text).replace(ownTag, "&lt;");
}

/** What a tool brought from a stranger, as the model reads it: a block of its own that nothing in it can close. */
export function untrustedBlock(text: string): string {
  return `<untrusted>\n${plainText(text)}\n</untrusted>`;
}

/** A name on one line of at most 80 characters, or `most`. Empty when nothing visible is left. */
export function oneLine(text: string, most = maxNameChars): string {
  return cutEnd(visibleText(text).replace(/\s+/g, " ").trim(), most);
}

/** `name="value"` for each value that is there, in the order given. Values are escaped and on one line. */
export function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${attributeValue(String(value))}"`)
    .join("");
}

function attributeValue(text: string): string {
  return escapedText(text.replace(/\s+/g, " ")).replaceAll('"', "&quot;");
}
