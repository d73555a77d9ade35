import { cleanText } from "@talaria/adapter-kit";
import type { InboundMessage, ValueSpan } from "@talaria/protocol";
import { type RequestValues, valueAt } from "./request-values.ts";

/** Longest text that one placeholder may bring, in UTF-16 units. */
const maxValueLength = 8_000;

const placeholder = /\{\{\s*([\w.[\]-]{1,200})\s*\}\}/g;

/**
 * Fills `{{ body.some.path }}` and `{{ headers.name }}` into a template, and tells where the values stand: strangers may
 * have written them. Text stays as it is, anything else becomes JSON, what is missing becomes `(missing)`; long values
 * are cut, and say so. Values are never read as templates.
 */
export function fillPrompt(
  template: string,
  values: RequestValues,
): Required<Pick<InboundMessage, "markdown" | "values">> {
  const spans: ValueSpan[] = [];
  let markdown = "";
  let at = 0;
  for (const { 0: whole, 1: name = "", index } of template.matchAll(placeholder)) {
    markdown += template.slice(at, index);
    at = index + whole.length;
    const value = valueAt(name, values);
    const shown = show(value);
    if (value !== undefined) spans.push({ name, start: markdown.length, end: markdown.length + shown.length });
    markdown += shown;
  }
  return { markdown: markdown + template.slice(at), values: spans };
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
