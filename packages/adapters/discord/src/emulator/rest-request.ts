import { parseMultipart, type UploadedFile } from "@talaria/testkit";
import { ApiError, invalidField } from "./api-error.ts";

/** One call as a route sees it. */
export interface RestRequest {
  /** The parts of the path that the route names, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** A body that is a list stands under `list`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Uploads by their number in `files[n]`. */
  readonly uploads: ReadonlyMap<number, UploadedFile>;
}

/** Reads JSON, or a form with `payload_json` and `files[n]`. */
export function readBody(bytes: Buffer, contentType: string): Pick<RestRequest, "body" | "uploads"> {
  const kind = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (bytes.length === 0) return { body: {}, uploads: new Map() };
  if (kind === "application/json") return { body: parseObject(bytes.toString("utf8")), uploads: new Map() };
  if (kind !== "multipart/form-data")
    throw new ApiError(400, 50_035, "Invalid Form Body", {
      _errors: [
        {
          code: "CONTENT_TYPE_INVALID",
          message: "Expected \"Content-Type\" header to be one of {'application/json', 'multipart/form-data'}.",
        },
      ],
    });
  const form = parseMultipart(bytes, contentType);
  const uploads = new Map<number, UploadedFile>();
  for (const [name, file] of form.files) {
    const number = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (number === undefined) throw invalidField(name, "UNKNOWN_PART", "Files are named files[n].");
    uploads.set(Number(number), file);
  }
  return { body: parseObject(form.fields.get("payload_json") ?? "{}"), uploads };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return { list: value };
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Answered below like any other body that is not an object.
  }
  throw new ApiError(400, 50_109, "The request body contains invalid JSON.");
}
