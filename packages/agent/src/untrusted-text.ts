import { cutEnd } from "./text.ts";

const maxNameChars = 80;

/** Format characters (bidirectional controls, joiners, tags) that have no business here, except the two joiners. */
const invisible = /(?![\u200c\u200d])[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Variation selector 16 makes the symbol before it an emoji, and is the one ignorable character people really type: after such a symbol. */
const emojiSelector = "\ufe0f";
const straySelector = /(?<!\p{Emoji})\ufe0f/gu;

/** Joiners stay where scripts and emoji need them: between two visible characters outside ASCII. */
const strayJoiner =
  /(?<!\P{ASCII}(?<=[\p{L}\p{M}\p{Emoji}]))[\u200c\u200d]|[\u200c\u200d](?!(?!\p{ASCII})[\p{L}\p{Emoji}])/gu;

const onlyPrintableAscii = /^[\n\t -~]*$/;

const control = /(?![\n\t])\p{Cc}/gu;

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
];
/** A bracket before one of our tags, or before a name with letters or marks outside ASCII, which may look like one. */
const ownTag = new RegExp(
  `[<＜﹤‹⟨〈❮](?=[\\s\\u2800\\p{M}]*(?:/[\\s\\u2800\\p{M}]*)?(?:${tags.join("|")}|[a-z]*(?!\\p{ASCII})[\\p{L}\\p{M}]))`,
  "giu",
);

/** Text without characters that a reader can't see. Lines end in `\n`. */
function visibleText(text: string): string {
  if (onlyPrintableAscii.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(control, "")
    .replace(invisible, (character) => (character === emojiSelector ? character : ""))
    .replace(straySelector, "")
    .replace(strayJoiner, "");
}

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
