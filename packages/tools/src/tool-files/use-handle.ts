import type { ToolContext } from "@talaria/agent";
import type { HandedSecret } from "@talaria/foreign-content";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import type { GuardedFetch } from "../web/guarded-fetch.ts";
import { workspaceOf } from "../workspace-of.ts";
import type { Handles } from "./messages.ts";

/** Of one file, one piece of it, or one answer of the web. */
const mostBytes = 4 * 1024 * 1024;
const mostEntries = 1_000;
const fetchMs = 60_000;

const path = z.string().min(1).max(4_096);
const base64 = z.base64().max(Math.ceil(mostBytes / 3) * 4);
const requests = {
  "files.read": z.object({
    path,
    start: z.int().min(0).exactOptional(),
    length: z.int().min(1).max(mostBytes).default(mostBytes),
  }),
  "files.write": z.object({ path, bytes: base64 }),
  "files.list": z.object({ path }),
  fetch: z.object({
    url: z.string().max(8_192),
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
    headers: z.record(z.string().max(100), z.string().max(8_192)).exactOptional(),
    body: z.string().max(mostBytes).exactOptional(),
  }),
} as const;

export interface HandleUse {
  readonly declared: Handles;
  readonly effect: "read" | "write";
  readonly fetch: GuardedFetch;
  /** Of this call. */
  readonly secrets: readonly HandedSecret[];
}

/**
 * Does what a tool of a file asks for while it runs, as far as it has declared it. Gives what the child hands on. Throws
 * `forbidden` for what is not declared, `invalid_request` for what can't be read, and what workspace and web throw.
 */
export async function useHandle(
  handle: string,
  args: unknown,
  use: HandleUse,
  context: Pick<ToolContext, "workspace" | "signal">,
): Promise<unknown> {
  const { declared } = use;
  switch (handle) {
    case "files.read": {
      if (declared.files === undefined) throw undeclared("files", '"read"');
      const { path, ...range } = read("files.read", args);
      const { bytes, size } = await workspaceOf(context).read(path, range);
      return { bytes: Buffer.from(bytes).toString("base64"), size };
    }
    case "files.list":
      if (declared.files === undefined) throw undeclared("files", '"read"');
      return await workspaceOf(context).list(read("files.list", args).path, mostEntries);
    case "files.write": {
      if (declared.files !== "write") throw undeclared("files", '"write"');
      const { path, bytes } = read("files.write", args);
      await workspaceOf(context).write(path, Buffer.from(bytes, "base64"));
      return null;
    }
    case "fetch":
      if (declared.fetch === undefined) throw undeclared("fetch", '["https://..."]');
      return await fetched(read("fetch", args), declared.fetch, use, context);
    default:
      throw new GatewayError(`there is no handle called ${handle}`, { code: "unsupported", effect: "none" });
  }
}

async function fetched(
  { url, method, headers = {}, body }: z.output<typeof requests.fetch>,
  beginnings: readonly string[],
  { effect, fetch, secrets }: HandleUse,
  { signal }: Pick<ToolContext, "signal">,
): Promise<unknown> {
  const isQuiet = (method === "GET" || method === "HEAD") && body === undefined;
  if (!isQuiet && effect === "read") {
    throw new GatewayError(`a tool with \`effect: "read"\` may only GET and HEAD, without a body`, {
      code: "forbidden",
      effect: "none",
    });
  }
  const request = { method, headers, ...(body !== undefined && { body }) };
  const mayVisit = (one: URL) => beginnings.some((beginning) => isBelow(one, new URL(beginning)));
  const limits = { signal, timeoutMs: fetchMs, maxBytes: mostBytes, request, mayVisit, secrets };
  const { bytes, isCut, ...head } = await fetch(url, limits);
  if (isCut) throw new GatewayError(`the answer has more than ${mostBytes} bytes`, { code: "too_large" });
  return { ...head, body: Buffer.from(bytes).toString("base64") };
}

/** An escaped slash or backslash may mean one to the server, so it must not lead out of the path. */
function isBelow(url: URL, beginning: URL): boolean {
  if (url.origin !== beginning.origin || !url.pathname.startsWith(beginning.pathname)) return false;
  return beginning.pathname === "/" || !/%(?:2f|5c|2e)/i.test(url.pathname);
}

function read<Name extends keyof typeof requests>(name: Name, args: unknown): z.output<(typeof requests)[Name]> {
  const { data, error } = requests[name].safeParse(args);
  if (data !== undefined) return data as z.output<(typeof requests)[Name]>;
  throw new GatewayError(`context.${name}: ${z.prettifyError(error as z.ZodError)}`, { code: "invalid_request" });
}

function undeclared(name: string, example: string): GatewayError {
  return new GatewayError(
    `context.${name} is not declared like that: add \`handles: { ${name}: ${example} }\` to the tool`,
    {
      code: "forbidden",
      effect: "none",
    },
  );
}
