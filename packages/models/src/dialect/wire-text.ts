const longestName = 64;

/** A name that no tool may have, once in the history, would make a strict server refuse every further request. */
export function wireName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, longestName) || "unnamed";
}

/** Arguments as one JSON object. Many servers parse those of old calls again and fail on broken ones. */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> {
  return parsedObject(text) ?? { invalid_json: text };
}

/** The same as text, unchanged where it is such an object already. */
export function argumentsText(text: string): string {
  return parsedObject(text) === undefined ? JSON.stringify({ invalid_json: text }) : text;
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** No answer takes more tokens. */
const mostTokens = 20_000_000;

/** A number of tokens; anything else is none. */
export function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= mostTokens ? value : 0;
}
