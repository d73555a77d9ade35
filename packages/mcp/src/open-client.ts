import type { Client, ClientOptions, StreamableHTTPClientTransport, Transport } from "@modelcontextprotocol/client";
import { GatewayError } from "@talaria/protocol";
import type { AskingCalls } from "./elicitation/asking-calls.ts";
import { httpTransport } from "./http-transport.ts";
import { isStdio, type McpServerConfig } from "./mcp-config.ts";
import type { ServerLogin } from "./oauth/server-login.ts";
import type { McpDeps } from "./ports.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** A program may have to be downloaded first, as with `npx`. */
const connectLimitMs = { stdio: 90_000, http: 20_000 };
/** An old server over stdio may never answer the question which era it is of. */
const probeLimitMs = { stdio: 10_000, http: 10_000 };
const goodbyeLimitMs = 2_000;

export interface Opening {
  readonly server: string;
  readonly config: McpServerConfig;
  readonly deps: McpDeps;
  readonly login: ServerLogin | undefined;
  /** Absent: nobody answers what the server asks in the middle of a call. */
  readonly asking: AskingCalls | undefined;
  /** The server died when it was asked for its era: it is of the old one. */
  readonly isLegacy: boolean;
  onListChanged(): void;
  onTrouble(error: Error): void;
}

export interface OpenClient {
  readonly client: Client;
  /** Resolves with the reason when the connection is over, also by `close`. */
  readonly ended: Promise<string>;
  /** What `ended` has resolved with. */
  reason(): string | undefined;
  close(): Promise<void>;
}

/** Connects within a time limit. What it throws says why not; nothing of it stays open. */
export async function openClient(opening: Opening, signal: AbortSignal): Promise<OpenClient> {
  const { config, deps, isLegacy } = opening;
  const sdk = await import("@modelcontextprotocol/client");
  const kind = isStdio(config) ? "stdio" : "http";
  const client = new sdk.Client({ name: "talaria", version: deps.version }, clientOptions(opening, probeLimitMs[kind]));
  answerQuestions(client, opening.asking);
  const transport = isStdio(config)
    ? new StdioTransport(
        {
          server: opening.server,
          command: config.command,
          variables: config.variables ?? {},
          ...(config.folder === undefined ? {} : { folder: config.folder }),
          ...(config.readable === undefined ? {} : { readable: config.readable }),
        },
        { spawn: deps.spawn, clock: deps.clock, log: deps.log, parse: sdk.deserializeMessage },
      )
    : httpTransport(sdk, opening, config);
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  let reason: string | undefined;
  client.onerror = opening.onTrouble;
  client.onclose = () => {
    reason ??= reasonOf(transport);
    end(reason);
  };
  const connected = client.connect(transport as Transport, {
    timeout: connectLimitMs[kind],
    signal,
    ...(isLegacy ? { prior: { kind: "legacy" } as const } : {}),
  });
  try {
    await withinLimit(connected, connectLimitMs[kind], opening, signal);
  } catch (cause) {
    connected.catch(() => undefined);
    await transport.close().catch(() => undefined);
    const diedOf = transport instanceof StdioTransport ? transport.end : undefined;
    if (diedOf === undefined || diedOf === stoppedHere) throw cause;
    throw new GatewayError(diedOf, { code: "unavailable", cause });
  }
  return { client, ended, reason: () => reason, close: () => closeClient(client, transport) };
}

/** Tells a server of the old era that its session is over, if it still listens. */
async function closeClient(client: Client, transport: StdioTransport | StreamableHTTPClientTransport): Promise<void> {
  if ("terminateSession" in transport && transport.sessionId !== undefined) {
    const tooLong = AbortSignal.timeout(goodbyeLimitMs);
    const given = new Promise<void>((resolve) => tooLong.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([transport.terminateSession().catch(() => undefined), given]);
  }
  await client.close();
}

const stoppedHere = "it was stopped";

function reasonOf(transport: unknown): string {
  return (transport instanceof StdioTransport ? transport.end : undefined) ?? "the connection was closed";
}

function answerQuestions(client: Client, asking: AskingCalls | undefined): void {
  if (asking === undefined) return;
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const { action, ...rest } = await asking.answer(params, mcpReq.signal);
    return { action, ...("content" in rest && rest.content !== undefined ? { content: { ...rest.content } } : {}) };
  });
}

function clientOptions({ asking, onListChanged }: Opening, probeMs: number): ClientOptions {
  return {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
    listChanged: { tools: { autoRefresh: false, onChanged: onListChanged } },
    // No others: what a server asks our model in the middle of a call (sampling) is not answered.
    ...(asking === undefined ? {} : { capabilities: { elicitation: { form: {}, url: {} } } }),
    // What a server says that its results look like is its own business: checking it would run patterns of its choice.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  };
}

async function withinLimit(
  connected: Promise<void>,
  limitMs: number,
  { deps: { clock } }: Opening,
  signal: AbortSignal,
): Promise<void> {
  const waiting = new AbortController();
  const tooLong = clock.sleep(limitMs, AbortSignal.any([signal, waiting.signal])).then(() => {
    throw new GatewayError(`it did not answer within ${limitMs / 1000} s`, { code: "unavailable" });
  });
  try {
    await Promise.race([connected, tooLong]);
  } finally {
    waiting.abort();
    tooLong.catch(() => undefined);
  }
}
