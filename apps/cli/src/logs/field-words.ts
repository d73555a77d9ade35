/** As much of a value is shown: characters of a text, things in a list, and lists within lists. */
const most = { chars: 2_000, things: 20, depth: 3 } as const;

/**
 * The value of a field of the log for people, without a bracket or a quotation mark of JSON: a list with commas, what has fields as its fields in
 * words, an error as what it says with its code and causes. A stack stays in the file.
 */
export function fieldWords(value: unknown, depth = 0): string {
  if (typeof value === "string") return textWords(value.slice(0, most.chars));
  if (typeof value === "number") return String(Math.round(value * 10) / 10);
  if (value === null || value === undefined) return "none";
  if (typeof value !== "object") return String(value);
  if (depth >= most.depth) return "…";
  const whole = Array.isArray(value) ? listWords(value, depth) : objectWords(value as Fields, depth);
  return whole.slice(0, most.chars);
}

/** Some ids are lists, written as JSON. */
function textWords(text: string): string {
  if (!text.startsWith('["')) return text;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list.join("/") : text;
  } catch {
    return text;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function listWords(values: readonly unknown[], depth: number): string {
  return values.length === 0 ? "none" : joined(values.map((value) => () => fieldWords(value, depth + 1)));
}

function objectWords(fields: Fields, depth: number): string {
  if (typeof fields.message === "string" && "stack" in fields) return errorWords(fields, depth);
  const entries = Object.entries(fields);
  return entries.length === 0
    ? "none"
    : joined(
        entries.map(
          ([key, one]) =>
            () =>
              `${key} ${within(one, depth + 1)}`,
        ),
      );
}

function within(value: unknown, depth: number): string {
  const words = fieldWords(value, depth);
  return typeof value === "object" && value !== null && words !== "none" && words !== "…" ? `(${words})` : words;
}

function errorWords({ name, message, stack: _, cause, ...more }: Fields, depth: number): string {
  const facts = Object.keys(more).length === 0 ? "" : ` (${objectWords(more, depth + 1)})`;
  const because = cause === undefined ? "" : `, because of ${fieldWords(cause, depth + 1)}`;
  return `${typeof name === "string" && name !== "Error" ? `${name}: ` : ""}${message}${facts}${because}`;
}

function joined(things: readonly (() => string)[]): string {
  const shown = things.slice(0, most.things).map((words) => words());
  return [...shown, ...(things.length > shown.length ? [`and ${things.length - shown.length} more`] : [])].join(", ");
}
