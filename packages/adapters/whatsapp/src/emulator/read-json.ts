import { invalid } from "./graph-error.ts";

export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function object(parent: Json, key: string): Json {
  const value = parent[key];
  if (!isJson(value)) throw invalid(`The parameter ${key} is required.`);
  return value;
}

/** A text with something to see in it. */
export function text(parent: Json, key: string): string {
  const value = parent[key];
  if (typeof value !== "string" || value.trim() === "") throw invalid(`The parameter ${key} is required.`);
  return value;
}

export function array(parent: Json, key: string, min: number, max: number): readonly Json[] {
  const value = parent[key];
  if (!Array.isArray(value) || value.length < min || value.length > max || !value.every(isJson))
    throw invalid(`Invalid ${key} count. Min allowed ${key}: ${min}, Max allowed ${key}: ${max}`);
  return value;
}

/** Meta counts characters and does not say which; UTF-16 units are the strictest reading. */
export function maxText(value: string, max: number, name: string): string {
  if (value.length > max) throw invalid(`Param ${name} must be at most ${max} characters long.`);
  return value;
}

export function onlyKeys(value: Json, name: string, keys: readonly string[]): void {
  const odd = Object.keys(value).find((key) => !keys.includes(key));
  if (odd !== undefined) throw invalid(`Unexpected key "${odd}" on param "${name}".`);
}
