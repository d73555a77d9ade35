import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** One thing that a process did. `at`: milliseconds since 1970, with fractions. */
export interface Hop {
  readonly at: number;
  readonly what: string;
}

/** Of the variables with no secret, which alone a worker is given. */
const folder = process.env.NODE_BENCH_HOPS;
const role = ["gateway", "worker"].find((name) => process.argv[2] === name);

if (folder !== undefined && role !== undefined) record(role, join(folder, `${role}-${process.pid}.json`));

/** Loaded by `--import` before a gateway or a worker: notes its statements, notifications and HTTP calls. */
function record(who: string, file: string): void {
  const hops: Hop[] = [];
  const note = (what: string) => hops.push({ at: performance.timeOrigin + performance.now(), what: `${who}: ${what}` });
  process.on("exit", () => writeFileSync(file, JSON.stringify(hops)));
  noteStatements(note);
  subscribe("http.client.request.start", (message) => {
    const { request } = message as { request: { method: string; path: string } };
    note(`${request.method} ${pathOf(request.path)}`);
  });
  subscribe("http.client.response.finish", (message) => {
    const { request } = message as { request: { method: string; path: string } };
    note(`${request.method} ${pathOf(request.path)} answered`);
  });
  subscribe("undici:client:sendHeaders", (message) => {
    const { request } = message as { request: { method: string; path: string } };
    note(`${request.method} ${pathOf(request.path)}`);
  });
  subscribe("undici:request:trailers", (message) => {
    const { request } = message as { request: { method: string; path: string } };
    note(`${request.method} ${pathOf(request.path)} answered`);
  });
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;

function noteStatements(note: (what: string) => void): void {
  const { query, emit } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const name = nameOf(given[0]);
    note(name);
    const callback = given.findIndex((one) => typeof one === "function");
    if (callback !== -1) {
      const original = given[callback] as (...results: unknown[]) => unknown;
      given[callback] = (...results: unknown[]) => {
        note(`${name} done`);
        return original(...results);
      };
      return (query as Query).apply(this, given);
    }
    const result = (query as Query).apply(this, given);
    if (result instanceof Promise) return result.finally(() => note(`${name} done`));
    return result;
  } as typeof query;
  pg.Client.prototype.emit = function (this: pg.Client, event: string, ...given: unknown[]) {
    if (event === "notification") note("notified");
    return (emit as (...all: unknown[]) => boolean).call(this, event, ...given);
  } as typeof emit;
}

function nameOf(query: unknown): string {
  const { name, text } = (typeof query === "string" ? { text: query } : query) as { name?: string; text?: string };
  return name ?? `"${(text ?? "").trim().slice(0, 40)}"`;
}

/** Without tokens and queries. */
function pathOf(path: string): string {
  return path.replace(/\?.*$/, "").replace(/\/bot[^/]*/, "");
}
