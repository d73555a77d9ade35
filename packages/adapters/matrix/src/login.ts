import type { AdapterStore } from "@talaria/adapter";
import { GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import { z } from "zod";
import type { MatrixClient } from "./client.ts";
import type { MatrixConfig } from "./config.ts";
import { read } from "./wire.ts";

/** Who we are at the homeserver, and a client that is logged in. */
export interface Identity {
  readonly userId: string;
  /** Undefined for tokens that belong to no device: they cannot take part in encryption. */
  readonly deviceId: string | undefined;
  readonly client: MatrixClient;
}

export interface LoginDeps {
  /** Without a token. */
  readonly client: MatrixClient;
  readonly store: AdapterStore;
  readonly log: Log;
}

/** The name under which the login is stored. */
const loginKey = "login";

const remembered = z.object({
  homeserver: z.string(),
  user: z.string(),
  deviceId: z.string(),
  accessToken: z.string(),
});
type Remembered = z.output<typeof remembered>;

/**
 * Checks the token, or logs in with the password when there is no valid one. Throws `unauthorized` when the homeserver
 * rejects both, `invalid_request` when the settings have neither.
 */
export async function identify(config: MatrixConfig, deps: LoginDeps, signal: AbortSignal): Promise<Identity> {
  const { accessToken, user, password } = config;
  if (accessToken !== undefined) return whoIs(deps.client.as(accessToken), signal);
  if (user === undefined || password === undefined)
    throw new GatewayError("a matrix account needs accessToken, or user and password", { code: "invalid_request" });
  const last = await recall(config, deps.store);
  if (last !== undefined) {
    try {
      return await whoIs(deps.client.as(last.accessToken), signal);
    } catch (error) {
      if (!isGatewayError(error, "unauthorized")) throw error;
      deps.log.warn({ code: error.code }, "the homeserver ended the login; logging in again");
      // A soft logout keeps the device; otherwise it is gone, and its keys with it.
      return login(
        config,
        deps,
        { user, password, deviceId: error.details.softLogout ? last.deviceId : undefined },
        signal,
      );
    }
  }
  return login(config, deps, { user, password, deviceId: undefined }, signal);
}

async function whoIs(client: MatrixClient, signal: AbortSignal): Promise<Identity> {
  const answer = read.identity(await client.call({ method: "GET", path: "/client/v3/account/whoami" }, signal));
  if (answer === undefined) throw oddAnswer();
  return { userId: answer.user_id, deviceId: answer.device_id, client };
}

async function login(
  { homeserver }: MatrixConfig,
  { client, store }: LoginDeps,
  { user, password, deviceId }: { user: string; password: string; deviceId: string | undefined },
  signal: AbortSignal,
): Promise<Identity> {
  const body = {
    type: "m.login.password",
    identifier: { type: "m.id.user", user },
    password,
    initial_device_display_name: "Talaria",
    ...(deviceId !== undefined && { device_id: deviceId }),
  };
  const answer = await client.call({ method: "POST", path: "/client/v3/login", body }, signal).catch(asUnauthorized);
  const made = read.login(answer);
  if (made === undefined) throw oddAnswer();
  const login: Remembered = { homeserver, user, deviceId: made.device_id, accessToken: made.access_token };
  await store.write(loginKey, JSON.stringify(login));
  return { userId: made.user_id, deviceId: made.device_id, client: client.as(made.access_token) };
}

/** A wrong password is answered with M_FORBIDDEN. */
function asUnauthorized(error: unknown): never {
  if (isGatewayError(error, "forbidden"))
    throw new GatewayError("the homeserver refuses user and password", { code: "unauthorized", cause: error });
  throw error;
}

async function recall({ homeserver, user }: MatrixConfig, store: AdapterStore): Promise<Remembered | undefined> {
  const stored = remembered.safeParse(JSON.parse((await store.read(loginKey)) ?? "null"));
  if (!stored.success || stored.data.homeserver !== homeserver || stored.data.user !== user) return undefined;
  return stored.data;
}

function oddAnswer(): GatewayError {
  return new GatewayError("this is not a matrix homeserver: its answer could not be read; check homeserver", {
    code: "unavailable",
  });
}
