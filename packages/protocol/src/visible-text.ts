/** Text without characters that a reader can't see. Lines end in `\n`. */
export function visibleText(text: string): string {
  if (onlyPrintableAscii.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replace(control, "")
    .replace(invisible, (character) => (character === emojiSelector ? character : ""))
    .replace(straySelector, "")
    .replace(strayJoiner, "");
}

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
