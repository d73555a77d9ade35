import type { ModelEvent, ModelPort, ModelRequest } from "@talaria/agent";
import {
  type DialectServer,
  type DialectServerOptions,
  LoopbackServer,
  type ServedDialect,
  startDialectServer,
} from "@talaria/testkit";
import { createModel } from "./index.ts";
import { loggedIn } from "./logins/logins.fixture.ts";
import { apiKey, deps, eventsOf } from "./model.fixture.ts";
import type { ModelConfig, ModelDeps, RemoteConfig } from "./model-config.ts";

/** Asked with a token that is renewed, instead of a key. */
type TokenDialect = "chatgpt" | "vertex" | "anthropic-on-vertex";

export interface DialectCase<Name extends ServedDialect = Exclude<ServedDialect, TokenDialect>> {
  readonly dialect: Name;
  /** One that reasons. */
  readonly model: string;
  /** What comes between the server's address and the API. */
  readonly base: string;
  /** What this API has no way to say, and why. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
}

type Ability =
  | "no index"
  | "no ids"
  | "broken arguments"
  | "quota in the middle"
  | "reasoning count"
  | "thought proof"
  | "wait";

export const dialectCases: readonly DialectCase[] = [
  { dialect: "openai-chat", model: "gpt-5.6", base: "/v1", cannot: {} },
  { dialect: "openai-responses", model: "gpt-5.6", base: "/v1", cannot: {} },
  { dialect: "anthropic", model: "claude-opus-5", base: "", cannot: { "quota in the middle": "is a refusal only" } },
  {
    dialect: "google",
    model: "gemini-3-pro-preview",
    base: "/v1beta",
    cannot: {
      "no index": "calls come whole",
      "broken arguments": "arguments are an object, not a text",
    },
  },
  {
    dialect: "mistral",
    model: "mistral-medium-latest",
    base: "/v1",
    cannot: {
      "no ids": "the package refuses a call without an id",
      "quota in the middle": "is a refusal only",
      "thought proof": "thoughts carry no signature",
      "reasoning count": "the package does not read it",
    },
  },
  {
    dialect: "bedrock",
    model: "us.anthropic.claude-opus-4-6-v1",
    base: "",
    cannot: {
      "no index": "is required",
      "no ids": "is required",
      "quota in the middle": "is a refusal only",
      "reasoning count": "is not told",
    },
  },
];

export const tokenDialectCases: readonly DialectCase<TokenDialect>[] = [
  { dialect: "chatgpt", model: "gpt-5.6", base: "/v1", cannot: {} },
  {
    dialect: "vertex",
    model: "gemini-3-pro-preview",
    base: "",
    cannot: { "no index": "calls come whole", "broken arguments": "arguments are an object, not a text" },
  },
  {
    dialect: "anthropic-on-vertex",
    model: "claude-opus-5",
    base: "",
    cannot: { "quota in the middle": "is a refusal only" },
  },
];

export interface DialectPeer extends AsyncDisposable {
  readonly server: DialectServer;
  readonly model: ModelPort;
  /** The same server, asked by another configuration. */
  modelWith(config: Partial<RemoteConfig>): ModelPort;
}

/** A model in front of a server that speaks its dialect. */
export async function startDialectPeer(
  { dialect, model: name, base }: DialectCase<ServedDialect>,
  options: Partial<DialectServerOptions> = {},
  config: Partial<RemoteConfig> = {},
  readers: Pick<ModelDeps, "readMedia"> = {},
): Promise<DialectPeer> {
  const server = await startDialectServer({ dialect, apiKeys: [apiKey], ...options });
  const tokens = dialect.endsWith("vertex") ? await startTokens() : undefined;
  const modelWith = (more: Partial<RemoteConfig>) => {
    const entry = { ...keyOf(dialect, tokens), baseUrl: `${server.url}${base}`, model: name, ...config, ...more };
    return createModel(entry as ModelConfig, { ...deps, logins: loggedIn(apiKey), ...readers });
  };
  const stop = async () => {
    await Promise.all([server.stop(), tokens?.stop()]);
  };
  return { server, model: modelWith({}), modelWith, [Symbol.asyncDispose]: stop };
}

function startTokens(): Promise<LoopbackServer> {
  return LoopbackServer.listen((_, response) => {
    response.end(JSON.stringify({ access_token: apiKey, expires_in: 3_600, token_type: "Bearer" }));
  });
}

/** What an entry is asked with: a key, or a token that somebody gives out. */
function keyOf(dialect: ServedDialect, tokens: LoopbackServer | undefined): object {
  if (dialect === "chatgpt") return { provider: dialect };
  if (tokens === undefined) return { provider: dialect, apiKey };
  return { provider: "vertex", vertex: { project: "some-project", location: "eu", metadataUrl: tokens.url } };
}

/**
 * What came of a request, without what dialects may differ in: how texts are cut into pieces, ids, and state for the
 * provider.
 */
export async function gistOf(model: ModelPort, asked?: ModelRequest, signal?: AbortSignal) {
  const events = await eventsOf(model, asked, signal);
  const gist: unknown[] = [];
  for (const event of joined(events)) gist.push(event.type === "done" ? withoutIds(event) : event);
  return gist;
}

function joined(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const result: ModelEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    if ((event.type === "delta" || event.type === "reasoning") && last?.type === event.type)
      result.splice(-1, 1, { ...last, text: last.text + event.text });
    else result.push(event);
  }
  return result;
}

function withoutIds(event: Extract<ModelEvent, { type: "done" }>) {
  const { content, toolCalls } = event.message;
  const calls = toolCalls.map(({ name, arguments: text }) => [name, text]);
  const { usage, stop } = event;
  return { type: "done", content, calls, stop, usage };
}
