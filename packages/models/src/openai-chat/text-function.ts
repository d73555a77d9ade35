import type { ToolSpec } from "@talaria/agent";

export const functionOpening = "<function=";
const functionClosing = "</function>";
const valueOpening = "<parameter=";
const valueClosing = "</parameter>";
/** What may come behind a value. A closing tag before anything else stands in the value. */
const behindValue = /\s*(?=<parameter=|<\/function>)/y;

export interface TextCall {
  readonly name: string;
  readonly arguments: string;
}

export type ToolSchemas = ReadonlyMap<string, ToolSpec["parameters"]>;

/**
 * Reads a call as Qwen3-Coder writes it, each value as text between tags, and each as its tool's schema has it: ggml-org/llama.cpp#15012
 * shows the template's form; `_parse_xml_function_call` and `_convert_param_value` in vLLM's
 * qwen3coder_tool_parser.py. Undefined when something of it is missing, or nobody offered such a tool.
 */
export function functionIn(text: string, tools: ToolSchemas): TextCall | undefined {
  const call = text.trim();
  const name = functionNameIn(call);
  const schema = name === undefined ? undefined : tools.get(name);
  if (name === undefined || schema === undefined) return undefined;
  const values: [name: string, value: unknown][] = [];
  for (let at = call.indexOf(">") + 1; ; ) {
    at = behindBlanks(call, at);
    if (call.startsWith(functionClosing, at)) {
      const isWhole = at + functionClosing.length === call.length;
      return isWhole ? { name, arguments: JSON.stringify(Object.fromEntries(values)) } : undefined;
    }
    const value = valueAt(call, at);
    if (value === undefined) return undefined;
    values.push([value.name, asWanted(value.text, propertyOf(schema, value.name))]);
    at = value.end;
  }
}

export function functionNameIn(text: string): string | undefined {
  const end = text.indexOf(">");
  return text.startsWith(functionOpening) && end >= 0 ? text.slice(functionOpening.length, end).trim() : undefined;
}

function behindBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at).trim() === "") at += 1;
  return at;
}

function valueAt(call: string, at: number) {
  const nameEnd = call.startsWith(valueOpening, at) ? call.indexOf(">", at) : -1;
  if (nameEnd < 0) return undefined;
  const name = call.slice(at + valueOpening.length, nameEnd).trim();
  for (let end = nameEnd + 1; ; end += valueClosing.length) {
    end = call.indexOf(valueClosing, end);
    if (end < 0) return undefined;
    behindValue.lastIndex = end + valueClosing.length;
    if (!behindValue.test(call)) continue;
    const text = call
      .slice(nameEnd + 1, end)
      .replace(/^\r?\n/, "")
      .replace(/\r?\n$/, "");
    return { name, text, end: end + valueClosing.length };
  }
}

function propertyOf({ properties }: ToolSpec["parameters"], name: string): unknown {
  const known = properties !== null && typeof properties === "object" && Object.hasOwn(properties, name);
  return known ? (properties as Readonly<Record<string, unknown>>)[name] : undefined;
}

const pythonWords: ReadonlyMap<string, unknown> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
]);

/** What does not become what the schema wants stays text: the tool's own check says what is wrong with it. */
function asWanted(text: string, schema: unknown): unknown {
  if (takesText(schema)) return text;
  const word = text.trim();
  if (pythonWords.has(word)) return pythonWords.get(word);
  try {
    return JSON.parse(word);
  } catch {
    return text;
  }
}

function takesText(schema: unknown): boolean {
  if (schema === null || typeof schema !== "object") return true;
  const { type, anyOf, oneOf, allOf, $ref } = schema as Readonly<Record<string, unknown>>;
  const choices = anyOf ?? oneOf;
  if (type !== undefined) return type === "string" || (Array.isArray(type) && type.includes("string"));
  if (Array.isArray(choices)) return choices.some(takesText);
  return allOf === undefined && $ref === undefined;
}
