// Written by scripts/generate-console-markdown.ts.
/** What is no address of a place that people could go to: a program, or a file itself. */
const noAddress = /^(?:data|javascript|vbscript|blob|about):/i;

/**
 * What to write behind a label where a platform makes no link of its address: ` (tel:+49123)`. Empty where the label says it
 * already, and for places within the same text.
 */
export function addressBeside(words, url) {
  const address = readableAddress(url);
  if (address === "" || isSame(words, url) || isSame(words, address)) return "";
  return words.trim() === "" ? address : ` (${address})`;
}

/** An address as people read it; a mail address without what stands around it. Empty for none. */
export function readableAddress(url) {
  const address = url.trim().replaceAll(/\s+/g, " ");
  if (address.startsWith("#") || noAddress.test(address)) return "";
  return /^mailto:([^?]+)/i.exec(address)?.[1] ?? address;
}

/** Numbers are written with blanks and signs between their digits. */
function isSame(words, url) {
  const shown = words.trim();
  if (shown === url) return true;
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*):(?:\/\/)?(.*)$/i.exec(url) ?? [];
  if (!/^(?:tel|sms)$/i.test(scheme)) return scheme !== "" && shown === rest;
  return shown !== "" && withoutGaps(shown) === withoutGaps(rest);
}

function withoutGaps(number) {
  return number.replaceAll(/[\s()./-]/g, "");
}
