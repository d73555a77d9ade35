import { spellingsOf } from "@talaria/protocol";

/** Replaces secrets in finished log lines. */
export interface Redactor {
  /** The line without secrets, still one line of JSON with the same shape. */
  redactLine(line: string): string;
  /** Any text without secrets. */
  redactText(text: string): string;
  /** False if the value is too short to search for: replacing it would damage ordinary words. */
  add(secret: string): boolean;
}

const shortestSecret = 6;
const shown = "[secret]";

/** Knows each secret as it is, and as it looks in JSON, in URLs, in hex and in base64. */
export function createRedactor(): Redactor {
  const known = new Set<string>();
  const spellings = new Set<string>();
  let pattern: RegExp | undefined;

  return {
    redactLine(line) {
      if (pattern === undefined) return line;
      pattern.lastIndex = 0;
      return pattern.test(line) ? withoutMatches(line, pattern) : line;
    },
    redactText: (text) => (pattern === undefined ? text : text.replace(pattern, shown)),
    add(secret) {
      if (secret.length < shortestSecret) return false;
      if (known.has(secret)) return true;
      known.add(secret);
      for (const part of [secret, ...longLinesOf(secret)])
        for (const spelling of spellingsOf(part)) spellings.add(spelling);
      pattern = toPattern(spellings);
      return true;
    },
  };
}

/** Longest first, so that a secret is taken as a whole also when a shorter one is its beginning. */
function toPattern(spellings: ReadonlySet<string>): RegExp {
  const sources = [...spellings].sort((a, b) => b.length - a.length).map((text) => escapePattern(text));
  return new RegExp(sources.join("|"), "g");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function withoutMatches(line: string, pattern: RegExp): string {
  const redacted = line.replace(pattern, shown);
  if (isJson(redacted)) return redacted;
  const record: unknown = JSON.parse(line);
  return `${JSON.stringify(redactValues(record, pattern))}\n`;
}

/** For lines where a secret of digits stands as a bare number: cutting it out would break the JSON. */
function redactValues(value: unknown, pattern: RegExp): unknown {
  if (typeof value === "string") return value.replace(pattern, shown);
  if (typeof value === "number") return String(value).search(pattern) < 0 ? value : shown;
  if (Array.isArray(value)) return value.map((item) => redactValues(item, pattern));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(pattern, shown), redactValues(item, pattern)]),
  );
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** A private key is often shown line by line, indented or joined by other means. */
function longLinesOf(secret: string): readonly string[] {
  const lines = secret.split("\n").map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= 16 && !line.startsWith("-----"));
}
