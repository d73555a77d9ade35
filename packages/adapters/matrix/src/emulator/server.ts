import type { IncomingMessage, ServerResponse } from "node:http";
import { FaultPlan, LoopbackServer } from "@talaria/testkit";
import type { MatrixFault } from "./faults.ts";
import { MatrixRoom } from "./room.ts";
import { type MatrixCall, type Route, roomRoutes } from "./routes.ts";
import { hasNews, syncOf } from "./sync.ts";
import { isRecord, type Json, MatrixError } from "./wire.ts";
import { type Device, MatrixWorld } from "./world.ts";

export interface MatrixRoomOptions {
  readonly name?: string;
  /** User ids of the people in it; the bot is in it too, unless told otherwise. */
  readonly people?: readonly string[];
  readonly withBot?: boolean;
}

export async function startMatrixServer(): Promise<MatrixServer> {
  return MatrixServer.start();
}

const downloadPath = /^\/_matrix\/client\/v1\/media\/download\/([^/]+)\/([^/]+)$/;

/** A homeserver on loopback, strict about rights and sizes, that fails on demand. One bot, any number of people. */
export class MatrixServer {
  readonly world = new MatrixWorld();
  readonly bot = { userId: "@talaria:stub.test", password: "stub-password", deviceId: "BOTDEVICE" } as const;
  /** Of the bot's first device. */
  readonly token: string;
  readonly calls: { readonly route: string; readonly query: URLSearchParams; readonly body: Json }[] = [];
  readonly #faults = new FaultPlan<MatrixFault>();
  readonly #held = new Set<ServerResponse>();
  #http!: LoopbackServer;

  private constructor() {
    this.world.displayNames.set(this.bot.userId, "Talaria");
    this.world.passwords.set(this.bot.userId, this.bot.password);
    this.token = this.world.logIn(this.bot.userId, this.bot.deviceId).token;
  }

  static async start(): Promise<MatrixServer> {
    const server = new MatrixServer();
    server.#http = await LoopbackServer.listen((request, response) => void server.#serve(request, response));
    return server;
  }

  get url(): string {
    return this.#http.url;
  }

  /** A person of this homeserver. The answer is the user id. */
  person(name: string, displayName = name): string {
    const userId = `@${name}:${this.world.name}`;
    this.world.displayNames.set(userId, displayName);
    return userId;
  }

  room({ name, people = [], withBot = true }: MatrixRoomOptions = {}): MatrixRoom {
    const id = `!room${this.world.nextId()}:${this.world.name}`;
    this.world.rooms.set(id, { id, state: new Map() });
    const room = new MatrixRoom(id, this.world, this.bot.userId);
    const [creator = this.bot.userId] = people;
    room.post(creator, "m.room.create", { room_version: "11" }, { state_key: "" });
    for (const person of people) room.member(person, "join");
    if (withBot) room.member(this.bot.userId, "join");
    if (name !== undefined) room.post(creator, "m.room.name", { name }, { state_key: "" });
    return room;
  }

  /**
   * The next `times` calls of a route meet this fault. Routes are named as in `routes.ts`, and `sync` and `download`.
   * `when` narrows it to calls with certain bodies.
   */
  fail(
    route: string,
    fault: MatrixFault,
    times = 1,
    when?: (body: Readonly<Record<string, unknown>>) => boolean,
  ): void {
    this.#faults.add(route, fault, times, when);
  }

  /** Ends the login of every device of the bot. */
  revokeTokens(): void {
    for (const [token, { userId }] of this.world.devices)
      if (userId === this.bot.userId) this.world.devices.delete(token);
    this.world.changed();
  }

  goOffline(): void {
    this.#http.goOffline();
  }

  goOnline(): void {
    this.#http.goOnline();
  }

  /** Cuts the connections of waiting syncs; new ones succeed. */
  dropSyncs(): void {
    for (const response of this.#held) response.destroy();
  }

  stop(): Promise<void> {
    return this.#http.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      if (error instanceof MatrixError) reply(response, error.status, error.body);
      else reply(response, 500, { errcode: "M_UNKNOWN", error: String(error) });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://stub.test");
    const bytes = await bodyOf(request);
    const { name, route, parts } = match(request.method ?? "GET", url.pathname);
    const body = jsonOf(bytes, request.headers["content-type"]);
    const fault = this.#faults.take(name, body);
    if (fault?.effect === "none") {
      fail(response, fault);
      return;
    }
    const device = route?.isOpen ? { userId: "", deviceId: "" } : this.#deviceOf(request);
    const call: MatrixCall = {
      world: this.world,
      device,
      parts,
      query: url.searchParams,
      body,
      bytes,
      mimeType: request.headers["content-type"] ?? "",
    };
    this.calls.push({ route: name, query: url.searchParams, body: call.body });
    if (name === "sync") return this.#sync(call, response);
    if (name === "download") return this.#download(call, response);
    const answer = await route?.answer(call);
    if (fault !== undefined) fail(response, fault);
    else reply(response, 200, answer ?? {});
  }

  #deviceOf({ headers }: IncomingMessage): Device {
    const [, token = ""] = /^Bearer (\S+)$/.exec(headers.authorization ?? "") ?? [];
    if (token === "") throw new MatrixError(401, "M_MISSING_TOKEN");
    const device = this.world.devices.get(token);
    if (device === undefined) throw new MatrixError(401, "M_UNKNOWN_TOKEN", { soft_logout: false });
    return device;
  }

  /** Answers when there is news, or after the time the device asked for. */
  #sync({ device, query }: MatrixCall, response: ServerResponse): void {
    const token = query.get("since");
    const since = token === null ? undefined : Number(/^s(\d+)$/.exec(token)?.[1]);
    if (Number.isNaN(since)) throw new MatrixError(400, "M_INVALID_PARAM");
    const filter: unknown = JSON.parse(query.get("filter") ?? "{}");
    const answer = () => syncOf(this.world, device, since, isRecord(filter) ? filter : {});
    const isValid = () => [...this.world.devices.values()].includes(device);
    const timeoutMs = Number(query.get("timeout") ?? 0);
    const first = answer();
    if (since === undefined || timeoutMs === 0 || hasNews(first)) {
      reply(response, 200, first);
      return;
    }
    this.#held.add(response);
    const finish = () => {
      clearTimeout(timer);
      stopListening();
      this.#held.delete(response);
      if (response.destroyed) return;
      if (isValid()) reply(response, 200, answer());
      else reply(response, 401, { errcode: "M_UNKNOWN_TOKEN", soft_logout: false });
    };
    const timer = setTimeout(finish, timeoutMs);
    const stopListening = this.world.onChange(() => {
      if (!isValid() || hasNews(answer())) finish();
    });
    response.once("close", finish);
  }

  #download({ parts: [server, mediaId = ""] }: MatrixCall, response: ServerResponse): void {
    const file = this.world.media.get(mediaId);
    if (file === undefined || server !== this.world.name) throw new MatrixError(404, "M_NOT_FOUND");
    response.writeHead(200, { "content-type": file.mimeType, "content-length": file.bytes.byteLength });
    response.end(file.bytes);
  }
}

function match(method: string, pathname: string): { name: string; route?: Route; parts: readonly string[] } {
  if (method === "GET" && pathname === "/_matrix/client/v3/sync") return { name: "sync", parts: [] };
  const file = downloadPath.exec(pathname);
  if (method === "GET" && file !== null) return { name: "download", parts: file.slice(1).map(decodeURIComponent) };
  for (const route of roomRoutes) {
    const pattern = new RegExp(`^${route.path.replaceAll(".", "\\.").replaceAll("*", "([^/]*)")}$`);
    const parts = route.method === method ? pattern.exec(pathname) : null;
    if (parts !== null) return { name: route.name, route, parts: parts.slice(1).map(decodeURIComponent) };
  }
  throw new MatrixError(404, "M_UNRECOGNIZED");
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function jsonOf(bytes: Buffer, type: string | undefined): Json {
  if (bytes.length === 0 || type !== "application/json") return {};
  const body = parsed(bytes.toString("utf8"));
  if (isRecord(body)) return body;
  throw new MatrixError(400, body === undefined ? "M_NOT_JSON" : "M_BAD_JSON");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function fail(response: ServerResponse, fault: MatrixFault): void {
  if (fault.kind === "drop") response.destroy();
  if (fault.kind !== "answer") return;
  const { status, errcode = "M_UNKNOWN", retryAfterMs, body, location } = fault;
  if (body !== undefined || location !== undefined) {
    response.writeHead(status, { "content-type": "text/html", ...(location !== undefined && { location }) });
    response.end(body);
    return;
  }
  const seconds = retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  reply(response, status, { errcode, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) }, seconds);
}
