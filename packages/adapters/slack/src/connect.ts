import { type Clock, type ErrorCode, GatewayError, type Log } from "@talaria/protocol";
import type { CatchUp } from "./catch-up.ts";
import type { SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { DurableReceiver } from "./receiver.ts";
import { runSocketSession } from "./socket-session.ts";
import { read, type SlackSelf } from "./wire.ts";

/** In HTTP mode this call tells whether Slack is there and the token is good. */
const probeMs = 30_000;

export interface ConnectDeps {
  readonly config: SlackConfig;
  readonly client: SlackClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly catchUp: CatchUp;
  readonly receiver: DurableReceiver;
  readonly streams: OpenStreams;
}

/** One connection to Slack, by socket or by HTTP. Ends by throwing, or when `signal` is aborted. */
export async function connect(deps: ConnectDeps, connected: () => void, signal: AbortSignal): Promise<void> {
  const { config, client, clock, log, catchUp, receiver, streams } = deps;
  const self = await identify(client, signal);
  const { appToken } = config;
  try {
    if (appToken === undefined) catchUp.begin(self);
    await streams.removeLeft(signal);
    if (appToken === undefined) return await probe(deps, connected, signal);
    await runSocketSession({ config, appToken, self, client, clock, log, catchUp, receiver }, connected, signal);
  } finally {
    catchUp.end();
  }
}

async function identify(client: SlackClient, signal: AbortSignal): Promise<SlackSelf> {
  const self = read.self(await client.call("auth.test", {}, signal));
  if (self !== undefined) return self;
  throw new GatewayError("slack does not say who we are", { code: "unavailable" });
}

async function probe(
  { client, clock, catchUp }: ConnectDeps,
  connected: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    connected();
    catchUp.alive();
    await clock.sleep(probeMs, signal).catch(() => undefined);
    if (!signal.aborted) await identify(client, signal);
  }
}

/** What an operator should do about an error that retrying cannot fix. */
export function hintFor(code: ErrorCode): string {
  if (code === "unauthorized")
    return "Slack refuses a token. Reinstall the app and set `botToken` from OAuth & Permissions and `appToken` from Basic Information.";
  if (code === "forbidden")
    return "Slack refuses the app. Switch Socket Mode on, give the app-level token connections:write and the bot the scopes of packages/adapters/slack/GUIDE.md.";
  return "Slack refuses the settings. Check `apiRoot`, and the app against packages/adapters/slack/GUIDE.md.";
}
