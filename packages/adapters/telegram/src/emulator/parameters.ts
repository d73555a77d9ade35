import { parseMultipart, type UploadedFile } from "@talaria/testkit";
import { badRequest } from "./api-error.ts";

/**
 * The parameters of one call. As on the real server a value may arrive as JSON or as a string in a form:
 * `42` equals `"42"`, and an object equals its JSON text. Readers throw `ApiError` 400.
 */
export class Parameters {
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;

  constructor(values: Record<string, unknown>, files: ReadonlyMap<string, UploadedFile> = new Map()) {
    this.values = values;
    this.files = files;
  }

  has(name: string): boolean {
    const value = this.values[name];
    return value !== undefined && value !== null && value !== "";
  }

  /** The value as text, or `""` when it is absent. Refuses text that is not well-formed Unicode. */
  text(name: string): string {
    const value = this.values[name];
    if (value === undefined || value === null) return "";
    const text = typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
    if (!text.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
    return text;
  }

  integer(name: string): number | undefined {
    if (!this.has(name)) return undefined;
    const text = this.text(name).trim();
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) {
      throw badRequest(`invalid ${name.replaceAll("_", " ")} specified`);
    }
    return value;
  }

  flag(name: string): boolean {
    return ["true", "yes", "1"].includes(this.text(name).toLowerCase());
  }

  /** A structured value, parsed when it came as text; undefined when absent. */
  structure(name: string): unknown {
    if (!this.has(name)) return undefined;
    const value = this.values[name];
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch (cause) {
      throw badRequest(`can't parse ${name.replaceAll("_", " ")} JSON object`, cause);
    }
  }

  object(name: string): Record<string, unknown> | undefined {
    const value = this.structure(name);
    if (value === undefined) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("object expected");
    return value as Record<string, unknown>;
  }

  list(name: string): unknown[] | undefined {
    const value = this.structure(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw badRequest(`can't parse ${name.replaceAll("_", " ")}: Expected an Array`);
    return value;
  }

  /** The uploaded file a value points to: `attach://part`, or the part that carries the parameter's own name. */
  upload(value: string, ownName?: string): UploadedFile | undefined {
    if (value.startsWith("attach://")) return this.files.get(value.slice("attach://".length));
    return ownName === undefined ? undefined : this.files.get(ownName);
  }
}

/** Reads the query string and the body in any of the three encodings the Bot API takes. */
export function readParameters(query: URLSearchParams, contentType: string, body: Buffer): Parameters {
  const values: Record<string, unknown> = Object.fromEntries(query);
  if (body.length === 0) return new Parameters(values);
  const kind = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (kind === "application/json") return new Parameters(Object.assign(values, parseJsonObject(body)));
  if (kind === "application/x-www-form-urlencoded") {
    return new Parameters(Object.assign(values, Object.fromEntries(new URLSearchParams(body.toString("utf8")))));
  }
  if (kind === "multipart/form-data") {
    try {
      const form = parseMultipart(body, contentType);
      return new Parameters(Object.assign(values, Object.fromEntries(form.fields)), form.files);
    } catch (cause) {
      throw badRequest("can't parse multipart form data", cause);
    }
  }
  return new Parameters(values);
}

function parseJsonObject(body: Buffer): object {
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Answered below like any other body that is not an object.
  }
  throw badRequest("can't parse JSON object");
}
