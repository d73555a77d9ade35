import { cleanText } from "@talaria/adapter-kit";
import { type RequestValues, valueAt } from "./request-values.ts";

/** Longest text that one placeholder may bring, in UTF-16 units. */
const maxValueLength = 8_000;

const placeholder = /\{\{\s*([\w.[\]-]{1,200})\s*\}\}/g;

/**
 * Fills `{{ body.some.path }}` and `{{ headers.name }}` into a template. Text stays as it is, anything else becomes
 * JSON, what is missing becomes `(missing)`; long values are cut, and say so. Values are never read as templates.
 */
export function fillPrompt(template: string, values: RequestValues): string {
  return template.replace(placeholder, (_match, path: string) => show(valueAt(path, values)));
}

/** The same as a name for what belongs together; undefined when a value is missing or empty. Nothing is cut. */
export function fillKey(template: string, values: RequestValues): string | undefined {
  const found: unknown[] = [];
  const key = template.replace(placeholder, (_match, path: string) => {
    const value = valueAt(path, values);
    found.push(value);
    return JSON.stringify(value) ?? "";
  });
  return found.some((value) => value === undefined || value === null || value === "") ? undefined : key;
}

function show(value: unknown): string {
  if (value === undefined) return "(missing)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const rest = text.length - maxValueLength;
  const shown = cleanText(text.slice(0, maxValueLength));
  return rest > 0 ? `${shown} … (${rest} more characters)` : shown;
}
