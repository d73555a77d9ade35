import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { FakeProcesses } from "./fake-envd.fixture.ts";

/**
 * What E2B answers, as https://github.com/e2b-dev/E2B has it in `spec/openapi.yml` and `spec/envd/process/process.proto`, and the
 * types of the SDK where that is ahead of it. Its virtual machines are processes of this machine, without a network where that was asked for.
 */
export interface FakeE2b extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** Every request to the API as `METHOD /path`, and every body. */
  readonly asked: string[];
  readonly sandboxes: ReadonlyMap<string, FakeSandbox>;
  /** As when its time is over. */
  pauseAll(): void;
  /** As when somebody deletes them there. */
  deleteAll(): void;
}

export interface FakeSandbox {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly template: string;
  readonly token: string;
  readonly hasNetwork: boolean;
  readonly onTimeout: "pause" | "kill";
  state: "running" | "paused";
  readonly processes: FakeProcesses;
}

const maxBodyBytes = 32 * 1024 * 1024;

export async function startFakeE2b(): Promise<FakeE2b> {
  const sandboxes = new Map<string, FakeSandbox>();
  const asked: string[] = [];
  const apiKey = `e2b_${randomBytes(20).toString("hex")}`;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://fake");
    const body = await bodyOf(request);
    if (url.pathname.startsWith("/process.Process/")) return envd(request, response, url.pathname, body, sandboxes);
    asked.push(`${request.method} ${url.pathname} ${body.toString()}`);
    if (request.headers["x-api-key"] !== apiKey) return reply(response, 401, { code: 401, message: "invalid API key" });
    return api(request.method ?? "", url, body, response, sandboxes);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => reply(response, 500, { code: 500, message: String(error) }));
  }).listen(0, "127.0.0.1");
  // A request on a connection that is closed at the same moment fails, which is no matter of these tests.
  server.keepAliveTimeout = 600_000;
  await once(server, "listening");
  const address = server.address();
  const pauseAll = () => {
    for (const sandbox of sandboxes.values()) pause(sandbox);
  };
  const deleteAll = () => {
    pauseAll();
    sandboxes.clear();
  };
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    ...{ apiKey, asked, sandboxes, pauseAll, deleteAll },
    [Symbol.asyncDispose]: async () => {
      deleteAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pause(sandbox: FakeSandbox): void {
  sandbox.state = "paused";
  sandbox.processes.killAll();
}

function api(
  method: string,
  url: URL,
  bytes: Buffer,
  response: ServerResponse,
  sandboxes: Map<string, FakeSandbox>,
): unknown {
  const body = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  if (method === "POST" && url.pathname === "/v2/sandboxes")
    return reply(response, 201, detail(create(body, sandboxes)));
  if (method === "GET" && url.pathname === "/v2/sandboxes") return reply(response, 200, list(url, sandboxes));
  const [, id = "", action = ""] = /^(?:\/v2)?\/sandboxes\/([^/]+)\/?([^/]*)$/.exec(url.pathname) ?? [];
  const sandbox = sandboxes.get(id);
  if (sandbox === undefined) return reply(response, 404, { code: 404, message: `sandbox ${id} not found` });
  switch (`${method} ${action}`) {
    case "POST connect": {
      const isResumed = sandbox.state === "paused";
      sandbox.state = "running";
      return reply(response, isResumed ? 201 : 200, detail(sandbox));
    }
    case "POST timeout":
      return reply(response, sandbox.state === "running" ? 204 : 404, { code: 404, message: "not running" });
    case "POST pause":
      if (sandbox.state === "paused") return reply(response, 409, { code: 409, message: "already paused" });
      pause(sandbox);
      return reply(response, 204);
    case "DELETE ":
      pause(sandbox);
      sandboxes.delete(id);
      return reply(response, 204);
    default:
      return reply(response, 405, { code: 405, message: `${method} ${url.pathname}` });
  }
}

interface NewSandbox {
  readonly templateID: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allow_internet_access?: boolean;
  readonly autoPause?: boolean;
}

function create(body: NewSandbox, sandboxes: Map<string, FakeSandbox>): FakeSandbox {
  const hasNetwork = body.allow_internet_access ?? true;
  const sandbox: FakeSandbox = {
    id: `i${randomBytes(10).toString("hex")}`,
    metadata: body.metadata ?? {},
    template: body.templateID,
    token: randomBytes(16).toString("hex"),
    hasNetwork,
    onTimeout: body.autoPause === true ? "pause" : "kill",
    state: "running",
    processes: new FakeProcesses(hasNetwork),
  };
  sandboxes.set(sandbox.id, sandbox);
  return sandbox;
}

function detail({ id, template, token }: FakeSandbox): object {
  return {
    ...{ templateID: template, sandboxID: id, clientID: "fake", envdVersion: "0.6.2", envdAccessToken: token },
    ...{ trafficAccessToken: null, domain: null },
  };
}

function list(url: URL, sandboxes: ReadonlyMap<string, FakeSandbox>): readonly object[] {
  const wanted = [...new URLSearchParams(url.searchParams.get("metadata") ?? "")];
  const time = new Date(0).toISOString();
  return [...sandboxes.values()]
    .filter(({ metadata }) => wanted.every(([key, value]) => metadata[key] === decodeURIComponent(value)))
    .map((sandbox) => ({
      ...detail(sandbox),
      ...{ metadata: sandbox.metadata, state: sandbox.state, startedAt: time, endAt: time },
      ...{ cpuCount: 2, memoryMB: 512, diskSizeMB: 1_024 },
    }));
}

function envd(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: Buffer,
  sandboxes: ReadonlyMap<string, FakeSandbox>,
): unknown {
  const sandbox = sandboxes.get(String(request.headers["e2b-sandbox-id"]));
  if (sandbox?.state !== "running") return reply(response, 502, { message: "The sandbox is not running" });
  if (request.headers["x-access-token"] !== sandbox.token)
    return reply(response, 401, { code: "unauthenticated", message: "wrong token" });
  return sandbox.processes.answer(path.split("/").at(-1) ?? "", body, response);
}

function reply(response: ServerResponse, status: number, body?: object): unknown {
  response.writeHead(status, { "content-type": "application/json" });
  return response.end(body === undefined || status === 204 ? undefined : JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > maxBodyBytes) throw new Error("the body is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
