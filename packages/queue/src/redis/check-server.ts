import { type Clock, GatewayError, untilAborted } from "@talaria/protocol";
import { Redis } from "ioredis";
import { within } from "../deadline.ts";
import { addressOf, backendFailure, parseUrl } from "../failures.ts";

const answerMs = 5_000;
const oldest = { major: 6, minor: 2 };

/** As `checkRedis`, bounded by a time instead of a signal. */
export async function checkServer(url: string, clock: Clock): Promise<void> {
  const cut = new AbortController();
  try {
    const late = `redis at ${addressOf(url)} does not answer`;
    await within(checkUntil(url, cut.signal), answerMs, clock, late);
  } finally {
    cut.abort();
  }
}

export async function checkUntil(url: string, signal: AbortSignal): Promise<void> {
  parseUrl(url);
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
  let failure: unknown;
  client.on("error", (error: unknown) => {
    failure = error;
  });
  try {
    await untilAborted(client.connect(), signal);
    judge(await untilAborted(client.info(), signal), addressOf(url));
  } catch (error) {
    throw backendFailure(isClosed(error) ? (failure ?? error) : error, "redis", url);
  } finally {
    client.disconnect();
  }
}

/** Throws when the queue could lose or not write its keys on this server. `info` is the answer to INFO. */
export function judge(info: string, address: string): void {
  const facts = new Map(info.split(/\r?\n/).map((line) => splitAt(line, line.indexOf(":"))));
  const version = facts.get("redis_version") ?? "";
  if (isTooOld(version)) {
    throw new GatewayError(`redis at ${address} has version ${version}: install 6.2 or newer`, { code: "unsupported" });
  }
  if (facts.get("role") === "slave") {
    throw new GatewayError(`redis at ${address} is a replica: name its primary`, { code: "invalid_request" });
  }
  const policy = facts.get("maxmemory_policy");
  if (policy === undefined || policy === "noeviction") return;
  const setting = "maxmemory-policy noeviction";
  throw new GatewayError(
    `redis is set to maxmemory-policy ${policy}: run "redis-cli config set ${setting}" and write "${setting}" into redis.conf, so that it holds after a restart`,
    { code: "invalid_request" },
  );
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < oldest.major || (major === oldest.major && minor < oldest.minor);
}

function splitAt(line: string, index: number): [string, string] {
  return [line.slice(0, index), line.slice(index + 1)];
}

/** The client's own word for a connection that failed; the reason came as an event before. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === "Connection is closed.";
}
