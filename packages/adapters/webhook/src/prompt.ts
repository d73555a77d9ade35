import { cleanText } from "@talaria/adapter-kit";

/** Longest text that one placeholder may bring, in UTF-16 units. */
const maxValueLength = 8_000;

const placeholder = /\{\{\s*([\w.[\]-]{1,200})\s*\}\}/g;

export interface PromptValues {
  /** The parsed body; its text when it is no JSON. */
  readonly body: unknown;
  /** By lower-case name. Signatures and tokens are left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Fills `{{ body.some.path }}` and `{{ headers.name }}` into a template. Text stays as it is, anything else becomes
 * JSON, what is missing becomes `(missing)`; long values are cut, and say so. Values are never read as templates.
 */
export function fillPrompt(template: string, values: PromptValues): string {
  return template.replace(placeholder, (_match, path: string) => show(find(path, values)));
}

/** The same as a name for what belongs together; undefined when a value is missing or empty. Nothing is cut. */
export function fillKey(template: string, values: PromptValues): string | undefined {
  const found: unknown[] = [];
  const key = template.replace(placeholder, (_match, path: string) => {
    const value = find(path, values);
    found.push(value);
    return JSON.stringify(value) ?? "";
  });
  return found.some((value) => value === undefined || value === null || value === "") ? undefined : key;
}

function find(path: string, values: PromptValues): unknown {
  let value: unknown = values;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const rest = text.length - maxValueLength;
  const shown = cleanText(text.slice(0, maxValueLength));
  return rest > 0 ? `${shown} … (${rest} more characters)` : shown;
}
