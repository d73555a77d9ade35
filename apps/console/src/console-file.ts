import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export interface ConsoleFile {
  /** Content type, with charset for text. */
  readonly type: string;
  readonly body: Buffer;
  /** The body for whoever takes gzip. */
  readonly gzipped: Buffer;
  /** Changes with the body: an entity tag as HTTP has it, quotes included. */
  readonly tag: string;
}

const compress = promisify(gzip);

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file as it is served, by its name. */
export async function toConsoleFile(name: string, body: Buffer): Promise<ConsoleFile> {
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { type, body, gzipped: await compress(body), tag };
}
