/** What a key is that has several lines: a private key, or a file of credentials. */
const severalLines = /^\s*(?:-----BEGIN |\{)/;

/** Why nobody could use this text as a key or a password. Undefined: one can. */
export function faultOfKey(text: string): string | undefined {
  const found = [...text].find((one) => isControl(one) && !(severalLines.test(text) && "\n\r\t".includes(one)));
  if (found === undefined) return undefined;
  if ("\n\r".includes(found)) return "has a line break within it";
  return `has a character within it that can't be typed (${(found.codePointAt(0) ?? 0).toString(16).padStart(2, "0")})`;
}

function isControl(one: string): boolean {
  const code = one.codePointAt(0) ?? 0;
  return code < 0x20 || code === 0x7f;
}

/** Whether a request can carry it in its head. */
export function isSendable(key: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(key.trim());
}
