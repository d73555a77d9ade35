/**
 * Shortens `text` to at most `maxChars` UTF-16 units by leaving out its middle, and says how much is missing.
 * Never splits a character.
 */
export function cutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const marker = `\n[${text.length - maxChars} or more characters left out]\n`;
  const room = Math.max(0, maxChars - marker.length);
  if (room === 0) return cutEnd(text, maxChars);
  const tailChars = Math.floor(room / 3);
  return cutEnd(text, room - tailChars) + marker + cutStart(text, tailChars);
}

/** The first `maxChars` UTF-16 units of `text`, or one less where that would split a character. */
export function cutEnd(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return text.slice(0, isHighSurrogate(text, maxChars - 1) ? maxChars - 1 : maxChars);
}

/** Whether the unit at `index` is the first half of a character. */
export function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The same plain JSON with every text in it made storable. */
export function storableJson<T>(value: T): T {
  if (typeof value === "string") return storable(value) as T;
  if (Array.isArray(value)) return value.map(storableJson) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [storable(key), storableJson(part)])) as T;
}

/** Replaces what a database cannot store: halves of characters, and U+0000. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

function cutStart(text: string, maxChars: number): string {
  const start = text.length - maxChars;
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start);
}
