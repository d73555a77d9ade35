import type { FetchLike, OAuthDiscoveryState, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { type Clock, GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { label, quoted } from "../untrusted.ts";

/** RFC 8628, Device Authorization Grant. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

const requestLimitMs = 20_000;
const longestLoginMs = 1_800_000;
const usualIntervalMs = 5_000;
/** RFC 8628, 3.5: what `slow_down` adds. */
const slowDownMs = 5_000;

const started = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(100),
  verification_uri: z.string(),
  expires_in: z.number().positive(),
  interval: z.number().nonnegative().optional(),
});
const granted = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.coerce.number().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
});
const failed = z.object({ error: z.string() });

/** Where logins by code begin, if the server has such. */
export function deviceEndpointOf(discovery: OAuthDiscoveryState | undefined): string | undefined {
  const metadata = discovery?.authorizationServerMetadata as Readonly<Record<string, unknown>> | undefined;
  const endpoint = metadata?.device_authorization_endpoint;
  return typeof endpoint === "string" ? endpoint : undefined;
}

export interface DeviceLogin {
  readonly endpoint: string;
  readonly tokenEndpoint: string;
  readonly client: { readonly client_id: string; readonly client_secret?: string | undefined };
  readonly scope: string | undefined;
  /** RFC 8707: what the token is for. */
  readonly resource: string | undefined;
  readonly fetch: FetchLike;
  readonly clock: Clock;
}

export interface StartedDeviceLogin {
  readonly url: string;
  readonly userCode: string;
  readonly expiresAt: number;
  /** Resolves when the person has agreed. Throws `unauthorized` when they refuse or let the time pass. */
  wait(signal: AbortSignal): Promise<StoredOAuthTokens>;
}

/** Begins a login by code. Throws `unauthorized` when the server doesn't start one. */
export async function startDeviceLogin(login: DeviceLogin, signal: AbortSignal): Promise<StartedDeviceLogin> {
  const { body, isOk } = await post(login, login.endpoint, ambit(login), signal);
  const answer = started.safeParse(body);
  if (!isOk || !answer.success) throw refused(body, "the login by code could not be started");
  const { device_code, user_code, verification_uri, expires_in, interval } = answer.data;
  const lastsMs = Math.min(longestLoginMs, expires_in * 1_000);
  const untilMs = login.clock.elapsed() + lastsMs;
  const intervalMs = interval === undefined ? usualIntervalMs : Math.max(1, interval) * 1_000;
  return {
    url: verification_uri,
    userCode: label(user_code),
    expiresAt: login.clock.now() + lastsMs,
    wait: (waitSignal) => poll(login, { deviceCode: device_code, untilMs, intervalMs }, waitSignal),
  };
}

interface Polling {
  readonly deviceCode: string;
  /** By the clock that only runs forward. */
  readonly untilMs: number;
  readonly intervalMs: number;
}

async function poll(
  login: DeviceLogin,
  { deviceCode, untilMs, intervalMs }: Polling,
  signal: AbortSignal,
): Promise<StoredOAuthTokens> {
  let pauseMs = intervalMs;
  const fields = { grant_type: deviceGrant, device_code: deviceCode, ...ambit(login) };
  while (login.clock.elapsed() + pauseMs < untilMs) {
    await login.clock.sleep(pauseMs, signal);
    const answer = await post(login, login.tokenEndpoint, fields, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return { body: undefined, isOk: false, error };
    });
    if (answer.isOk) {
      const tokens = granted.safeParse(answer.body);
      if (!tokens.success) throw refused(answer.body, "the login gave tokens that can't be read");
      return tokens.data as StoredOAuthTokens;
    }
    const code = errorOf(answer.body);
    // RFC 8628, 3.5: a lost connection is waited out too.
    if (code === "slow_down" || code === undefined) pauseMs += slowDownMs;
    else if (code !== "authorization_pending") throw refused(answer.body, "the login was refused");
  }
  throw new GatewayError("the code of the login has expired", { code: "unauthorized" });
}

function ambit({ scope, resource }: DeviceLogin): Record<string, string> {
  return { ...(scope === undefined ? {} : { scope }), ...(resource === undefined ? {} : { resource }) };
}

async function post(login: DeviceLogin, url: string, fields: Record<string, string>, signal: AbortSignal) {
  const { client_id, client_secret } = login.client;
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const answer = await login.fetch(url, {
    method: "POST",
    headers:
      client_secret === undefined
        ? headers
        : { ...headers, authorization: basicAuthorization(client_id, client_secret) },
    body: new URLSearchParams({ ...fields, client_id }).toString(),
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(requestLimitMs)]),
  });
  const body: unknown = await answer.json().catch(() => undefined);
  return { body, isOk: answer.ok };
}

/** RFC 6749, 2.3.1: both parts are form-encoded first. */
function basicAuthorization(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

function errorOf(body: unknown): string | undefined {
  const { data } = failed.safeParse(body);
  return data?.error;
}

function refused(body: unknown, text: string): GatewayError {
  const code = errorOf(body);
  return new GatewayError(code === undefined ? text : `${text}. ${quoted(code)}`, { code: "unauthorized" });
}
