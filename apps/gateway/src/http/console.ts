import { type ConsoleFiles, loadConsole, toConsoleFile } from "@talaria/app-console";
import { commandMenu } from "@talaria/sessions";
import type { FastifyInstance } from "fastify";
import { type AccessRules, checkBrowser } from "./access.ts";

/** Pages may load their own scripts and call their own gateway, nothing else. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the console's files below `/console/`. They hold no secret; the API behind them needs the token. */
export function serveConsole(server: FastifyInstance, rules: AccessRules): void {
  let loaded: Promise<ConsoleFiles> | undefined;
  server.get("/", (_request, reply) => reply.redirect("/console/"));
  server.get("/console", (_request, reply) => reply.redirect("/console/"));
  server.get("/console/*", async (request, reply) => {
    const refusal = checkBrowser(request.headers, rules);
    if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.error });
    loaded ??= loadFiles();
    const { files, version } = await loaded;
    const path = (request.raw.url ?? "").split("?")[0]?.slice("/console/".length) || "index.html";
    const isFixed = path.startsWith(`${version}/`);
    // Of another version: a page that another release has served goes on with what is here.
    const file = files.get(path.replace(/^v-[\w-]{16}\//, ""));
    if (file === undefined) return reply.code(404).send({ error: "no such page" });
    reply
      .header("content-type", file.type)
      .header("content-security-policy", policy)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .header("cache-control", isFixed ? "public, max-age=31536000, immutable" : "no-cache")
      .header("vary", "accept-encoding")
      .header("etag", file.tag);
    if (request.headers["if-none-match"] === file.tag) return reply.code(304).send();
    if (!takesGzip(request.headers["accept-encoding"])) return reply.send(file.body);
    return reply.header("content-encoding", "gzip").send(file.gzipped);
  });
}

/** The console's own, and what the gateway knows: the commands that people may write. */
async function loadFiles(): Promise<ConsoleFiles> {
  const listed = commandMenu().map(({ name, description }) => ({ name, text: description }));
  const body = Buffer.from(JSON.stringify(listed));
  const { files, version } = await loadConsole();
  return { files: new Map([...files, ["commands.json", await toConsoleFile("commands.json", body)]]), version };
}

/** Named without a weight, or with one above nothing: `gzip;q=0` takes none. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(?:^|[,\s])gzip\s*(?:,|$|;\s*q\s*=\s*(?!0(?:\.0*)?\s*(?:,|$)))/i.test(String(accepted ?? ""));
}
