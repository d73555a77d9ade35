import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Acceptance, Adapter, AdapterHost } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  GatewayError,
  type InboundEvent,
  type Instant,
  instantOf,
  isGatewayError,
  type MediaRef,
  type Role,
  type SessionKey,
  type StreamFrame,
  systemClock,
  type TurnId,
} from "@talaria/protocol";
import { adapterDeps } from "@talaria/testkit";
import { createWebAdapter } from "../adapter.ts";
import type {
  WebChannel,
  WebConversation,
  WebConversations,
  WebFile,
  WebHistory,
  WebLine,
  WebPlace,
  WebRunning,
  WebSignal,
  WebStepCount,
  WebSteps,
} from "../channel.ts";

export const accountId = brandAs<AccountId>("web");
const firstInstantMs = Date.UTC(2026, 0, 1);

/** History and news in memory, for one conversation; a test writes lines and frames as workers do. */
export class TestChannel implements WebChannel {
  readonly lines: WebLine[] = [];
  readonly kept = new Map<string, Uint8Array>();
  readonly announced: string[] = [];
  readonly #readers = new Set<(signal: WebSignal) => void>();
  /** Awaited, and may throw, before a history is read. */
  beforeHistory: () => Promise<void> = async () => undefined;
  reads = 0;

  async history(_place: WebPlace, limit: number, before?: string): Promise<WebHistory> {
    this.reads += 1;
    await this.beforeHistory();
    if (before !== undefined && !/^\d{4}-\d\d-\d\dT/.test(before))
      throw new GatewayError("before must be an instant", { code: "invalid_request" });
    const older = this.lines.filter(({ at }) => before === undefined || at < before);
    const lines = older.slice(-limit);
    return lines.length < older.length ? { lines, next: lines[0]!.at } : { lines };
  }

  /** As it was made; readers stay. */
  empty(): void {
    Object.assign(this, { role: "owner", chats: [], newest: undefined, open: undefined, reads: 0 });
    this.beforeHistory = async () => undefined;
    for (const list of [this.lines, this.asked, this.changes, this.announced, this.places]) list.length = 0;
    for (const map of [this.kept, this.did]) map.clear();
  }

  role: Role = "owner";
  /** What a list shows, whatever is asked for, and the questions for it. */
  chats: WebConversation[] = [];
  readonly asked: object[] = [];
  /** What is done to conversations, one line each. */
  readonly changes: string[] = [];
  newest: TurnId | undefined;
  open: WebRunning | undefined;

  async conversations(query: object): Promise<WebConversations> {
    this.asked.push(query);
    return { chats: this.chats, next: "2026-01-01T00:00:00.000000Z~a~b" };
  }

  async name(conversationId: ConversationId, title: string): Promise<{ isNamed: boolean } | undefined> {
    this.changes.push(`name ${conversationId} ${title}`);
    return conversationId === "nowhere" ? undefined : { isNamed: title !== "" };
  }

  async read(conversationId: ConversationId, upTo: Instant): Promise<{ unread: number } | undefined> {
    this.changes.push(`read ${conversationId} ${upTo}`);
    return conversationId === "nowhere" ? undefined : { unread: 1 };
  }

  async forget(conversationId: ConversationId): Promise<void> {
    this.changes.push(`forget ${conversationId}`);
  }

  async retriable(): Promise<TurnId | undefined> {
    return this.newest;
  }

  /** Whose files and steps were asked for. */
  readonly places: WebPlace[] = [];

  async file(place: WebPlace, ref: string): Promise<WebFile | undefined> {
    this.places.push(place);
    return this.lines.flatMap(({ files = [] }) => files).findLast((one) => one.ref === ref);
  }

  async running(): Promise<WebRunning | undefined> {
    return this.open;
  }

  /** What turns did, by their id. */
  readonly did = new Map<string, WebSteps>();

  async stepCounts(turnIds: readonly TurnId[]): Promise<ReadonlyMap<TurnId, WebStepCount>> {
    return new Map(
      turnIds.flatMap((turnId): [TurnId, WebStepCount][] => {
        const steps = this.did.get(turnId)?.steps;
        if (steps === undefined) return [];
        return [[turnId, { count: steps.length, failed: steps.filter(({ state }) => state === "failed").length }]];
      }),
    );
  }

  async steps(place: WebPlace, turnId: TurnId): Promise<WebSteps> {
    this.places.push(place);
    return this.did.get(turnId) ?? { steps: [], earlier: 0 };
  }

  async keep(content: AsyncIterable<Uint8Array>, mimeType: string): Promise<Omit<WebFile, "name">> {
    const bytes = Buffer.concat(await Readable.from(content).toArray());
    const ref = brandAs<MediaRef>(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
    this.kept.set(ref, bytes);
    return { ref, mimeType, byteLength: bytes.byteLength };
  }

  announce(conversationId: ConversationId): void {
    this.announced.push(conversationId);
    this.tell({ type: "sent", conversationId });
  }

  subscribe(receive: (signal: WebSignal) => void): () => void {
    this.#readers.add(receive);
    return () => this.#readers.delete(receive);
  }

  get readers(): number {
    return this.#readers.size;
  }

  tell(signal: WebSignal): void {
    for (const read of this.#readers) read(signal);
  }

  /** Adds a line, without telling anybody. */
  write(id: string, facts: Partial<WebLine> = {}): WebLine {
    const at = instantOf(firstInstantMs + this.lines.length * 1_000);
    const line: WebLine = { id, from: "agent", displayName: "Agent", markdown: `text of ${id}`, at, ...facts };
    this.lines.push(line);
    return line;
  }

  frame(facts: FrameFacts, conversation = "main"): void {
    const sessionKey = brandAs<SessionKey>(`${accountId}/${conversation}`);
    const base = { accountId, sessionKey, turnId: turn, fence: 1, n: 0 };
    this.tell({ type: "frame", frame: { ...base, ...facts } as StreamFrame });
  }
}

type FrameFacts = { readonly type: StreamFrame["type"] } & Readonly<Record<string, unknown>>;

export const turn = brandAs<TurnId>("turn-1");

/** A host that records, and knows what it has recorded. */
export class TestHost implements AdapterHost {
  readonly events: InboundEvent[] = [];
  answer: Acceptance | undefined;

  async accept(event: InboundEvent): Promise<Acceptance> {
    if (this.events.some(({ id }) => id === event.id)) return "duplicate";
    this.events.push(event);
    return this.answer ?? "recorded";
  }

  async received(): Promise<undefined> {}

  async kindChanged(): Promise<void> {}
  async added(): Promise<void> {}

  async isAllowed(): Promise<boolean> {
    return true;
  }
  async heard(): Promise<undefined> {}

  leftOut(): void {
    return;
  }

  report(): void {
    return;
  }

  async receipt(): Promise<void> {
    return;
  }
}

export function makeAdapter(channel: TestChannel, clock = systemClock): Adapter {
  const deps = adapterDeps({ id: accountId, clock });
  const open = async (ref: MediaRef) => new Blob([Buffer.from(channel.kept.get(ref) ?? [])]).stream();
  return createWebAdapter({ maxTextChars: 100_000, maxFileBytes: 20_971_520 }, { ...deps, media: { open }, channel });
}

function routeOf(adapter: Adapter, method: string | undefined, pathname: string) {
  for (const route of adapter.routes?.() ?? []) {
    const groups =
      route.method === method
        ? new URLPattern({ pathname: route.path }).exec({ pathname })?.pathname.groups
        : undefined;
    if (groups === undefined) continue;
    return {
      route,
      params: Object.fromEntries(Object.entries(groups).map(([name, part = ""]) => [name, decodeURIComponent(part)])),
    };
  }
  return { params: {} };
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unavailable: 503,
};

/** A gateway in small: hands requests to the adapter's routes, streams what streams, and closes with its clients. */
export async function serve(adapter: Adapter) {
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://gateway");
    const { route, params } = routeOf(adapter, incoming.method, url.pathname);
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    const body = incoming.method === "POST" || incoming.method === "PATCH" ? { body: await buffer(incoming) } : {};
    const headers = incoming.headers as Record<string, string>;
    const request = new Request(url, { method: incoming.method ?? "GET", headers, signal: gone.signal, ...body });
    const response = await route?.handle(request, params).catch((error: unknown) => {
      const code = isGatewayError(error) ? error.code : "internal";
      return Response.json({ error: String(error) }, { status: statuses[code] ?? 500 });
    });
    outgoing.writeHead(response?.status ?? 404, Object.fromEntries(response?.headers ?? []));
    if (!response?.body) return void outgoing.end();
    const source = Readable.fromWeb(response.body as NodeReadableStream);
    source.once("error", () => outgoing.destroy());
    outgoing.once("close", () => source.destroy());
    source.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
