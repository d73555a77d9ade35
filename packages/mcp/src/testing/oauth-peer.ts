import { createHash, randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { type HttpPeer, httpPeer } from "./http-peer.ts";
import { modernPeer } from "./modern-peer.ts";

/*
 * An MCP server and its authorization server at one address, as strict as the documents: RFC 6749 with PKCE (7636), metadata
 * (8414, 9728), registration (7591), resource indicators (8707), device codes (8628), `iss` in answers (9207), and refresh tokens
 * that work once (OAuth 2.1, 4.3.1).
 */

export interface OAuthPeer extends HttpPeer {
  /** Of the authorization server. */
  readonly issuer: string;
  /** Does what a browser and a person who agrees do. Returns where the browser is sent back to. */
  agree(authorizationUrl: string): Promise<URL>;
  /** What the person types in. */
  enter(userCode: string): void;
  /** The server takes no token that was given so far. */
  expireTokens(): void;
  /** And renews none. */
  revokeAll(): void;
  readonly seen: {
    registrations: number;
    redemptions: number;
    refreshes: number;
    polls: number;
    readonly scopes: string[];
  };
}

export interface OAuthPeerOptions {
  readonly hasDeviceCodes?: boolean;
  /** What `iss` says in the answer to the browser. */
  readonly iss?: string;
  /** It redeems no code, with these words. */
  readonly refusal?: string;
  /** Calls of tools want it besides `read`; logins that ask for no scope are told `read`. */
  readonly callScope?: string;
  /** The authorization server is at another address. */
  readonly isApart?: boolean;
  /** A client that was registered by hand, and logs in as itself with HTTP Basic. */
  readonly machine?: { readonly id: string; readonly secret: string; readonly scopes: readonly string[] };
}

interface Device {
  readonly userCode: string;
  readonly clientId: string;
  readonly scope: string;
  isAgreed: boolean;
}

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string;
}

const json = (body: unknown, status = 200) => Response.json(body, { status });
const challenged = (status: number, text: string) =>
  new Response(null, { status, headers: { "www-authenticate": `Bearer ${text}` } });
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export async function oauthPeer({
  hasDeviceCodes = false,
  iss,
  refusal,
  callScope,
  isApart = false,
  machine,
}: OAuthPeerOptions = {}): Promise<OAuthPeer> {
  const handler = createMcpHandler(() => modernPeer());
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Grant>();
  const devices = new Map<string, Device>();
  const refreshTokens = new Map<string, Pick<Grant, "clientId" | "scope">>();
  const accessTokens = new Map<string, string>();
  const seen = { registrations: 0, redemptions: 0, refreshes: 0, polls: 0, scopes: [] as string[] };
  const peer = await httpPeer((request) => answer(request));
  const other = isApart ? await httpPeer((request) => answer(request)) : undefined;
  const issuer = other?.url ?? peer.url;
  const resource = `${peer.url}/mcp`;

  function grantTokens(clientId: string, scope: string): Response {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    accessTokens.set(access_token, scope);
    refreshTokens.set(refresh_token, { clientId, scope });
    return json({ access_token, refresh_token, token_type: "Bearer", expires_in: 3_600 });
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    switch (`${request.method} ${url.pathname}`) {
      case "GET /.well-known/oauth-protected-resource/mcp":
        return json({ resource, authorization_servers: [issuer] });
      case "GET /.well-known/oauth-authorization-server":
        return json(metadata());
      case "POST /register":
        return register((await request.json()) as { redirect_uris?: string[]; grant_types?: string[] });
      case "POST /device":
        return startDevice(new URLSearchParams(await request.text()));
      case "POST /token":
        return token(new URLSearchParams(await request.text()), request.headers.get("authorization"));
      case "GET /authorize":
        return authorize(url.searchParams);
      default:
        return url.pathname === "/mcp" ? guarded(request) : new Response(null, { status: 404 });
    }
  }

  function metadata(): object {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: machine === undefined ? ["none"] : ["none", "client_secret_basic"],
      grant_types_supported: ["authorization_code", "refresh_token", ...(hasDeviceCodes ? [deviceGrant] : [])],
      authorization_response_iss_parameter_supported: true,
      ...(hasDeviceCodes ? { device_authorization_endpoint: `${issuer}/device` } : {}),
    };
  }

  function register({ redirect_uris = [], grant_types = [] }: { redirect_uris?: string[]; grant_types?: string[] }) {
    if (redirect_uris.length === 0 || grant_types.includes(deviceGrant) !== hasDeviceCodes) {
      return json({ error: "invalid_client_metadata" }, 400);
    }
    seen.registrations += 1;
    const client_id = randomUUID();
    clients.set(client_id, redirect_uris);
    return json({ client_id, redirect_uris, grant_types, token_endpoint_auth_method: "none" }, 201);
  }

  function authorize(query: URLSearchParams): Response {
    const clientId = query.get("client_id") ?? "";
    const redirectUri = query.get("redirect_uri") ?? "";
    const isRight =
      clients.get(clientId)?.includes(redirectUri) === true &&
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256" &&
      query.get("resource") === resource;
    if (!isRight) return json({ error: "invalid_request" }, 400);
    const code = randomUUID();
    const scope = query.get("scope") ?? "";
    seen.scopes.push(scope);
    codes.set(code, { clientId, redirectUri, challenge: query.get("code_challenge") ?? "", scope });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: query.get("state") ?? "", iss: iss ?? issuer }).toString();
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  function startDevice(form: URLSearchParams): Response {
    const clientId = form.get("client_id") ?? "";
    if (!clients.has(clientId) || form.get("resource") !== resource) return json({ error: "invalid_client" }, 401);
    const [device_code, user_code] = [randomUUID(), randomUUID().slice(0, 8).toUpperCase()];
    const scope = form.get("scope") ?? "";
    seen.scopes.push(scope);
    devices.set(device_code, { userCode: user_code, clientId, scope, isAgreed: false });
    const verification_uri = `${issuer}/activate`;
    return json({ device_code, user_code, verification_uri, expires_in: 600, interval: 1 });
  }

  function token(form: URLSearchParams, authorization: string | null): Response {
    if (form.get("resource") !== resource) return json({ error: "invalid_target" }, 400);
    if (form.get("grant_type") === "client_credentials") return letMachineIn(form, authorization);
    const clientId = form.get("client_id") ?? "";
    const grantType = form.get("grant_type");
    if (grantType === "authorization_code") return redeemCode(form, clientId);
    if (grantType === "refresh_token") return refresh(form.get("refresh_token") ?? "", clientId);
    if (grantType === deviceGrant) return redeemDevice(form.get("device_code") ?? "", clientId);
    return json({ error: "unsupported_grant_type" }, 400);
  }

  /** RFC 6749, 4.4: without a refresh token. */
  function letMachineIn(form: URLSearchParams, authorization: string | null): Response {
    const login = Buffer.from(`${machine?.id}:${machine?.secret}`).toString("base64");
    if (machine === undefined || authorization !== `Basic ${login}`) return json({ error: "invalid_client" }, 401);
    const asked = (form.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
    if (!asked.every((scope) => machine.scopes.includes(scope))) return json({ error: "invalid_scope" }, 400);
    seen.scopes.push(asked.join(" "));
    const access_token = randomUUID();
    accessTokens.set(access_token, asked.join(" "));
    return json({ access_token, token_type: "Bearer", expires_in: 3_600 });
  }

  function redeemCode(form: URLSearchParams, clientId: string): Response {
    seen.redemptions += 1;
    if (refusal !== undefined) return json({ error: "invalid_grant", error_description: refusal }, 400);
    const code = form.get("code") ?? "";
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight =
      grant?.clientId === clientId && grant.redirectUri === form.get("redirect_uri") && grant.challenge === challenge;
    return isRight ? grantTokens(clientId, grant.scope) : json({ error: "invalid_grant" }, 400);
  }

  function refresh(used: string, clientId: string): Response {
    const grant = refreshTokens.get(used);
    if (grant?.clientId !== clientId) return json({ error: "invalid_grant" }, 400);
    refreshTokens.delete(used);
    seen.refreshes += 1;
    return grantTokens(clientId, grant.scope);
  }

  function redeemDevice(deviceCode: string, clientId: string): Response {
    seen.polls += 1;
    const device = devices.get(deviceCode);
    if (device?.clientId !== clientId) return json({ error: "expired_token" }, 400);
    return device.isAgreed ? grantTokens(clientId, device.scope) : json({ error: "authorization_pending" }, 400);
  }

  async function guarded(request: Request): Promise<Response> {
    const given = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    const scope = accessTokens.get(given);
    const metadataUrl = `resource_metadata="${peer.url}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined) return challenged(401, `${metadataUrl}${callScope === undefined ? "" : ', scope="read"'}`);
    const { method } = (await request
      .clone()
      .json()
      .catch(() => ({}))) as { method?: string };
    if (callScope === undefined || method !== "tools/call" || scope.split(" ").includes(callScope))
      return handler.fetch(request);
    return challenged(403, `error="insufficient_scope", scope="${callScope}", ${metadataUrl}`);
  }

  return {
    ...peer,
    issuer,
    seen,
    async stop() {
      await Promise.all([peer.stop(), other?.stop()]);
    },
    async agree(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: "manual" });
      const location = response.headers.get("location");
      if (location === null) throw new Error(`not authorized: ${await response.text()}`);
      return new URL(location);
    },
    enter(userCode) {
      for (const device of devices.values()) if (device.userCode === userCode) device.isAgreed = true;
    },
    expireTokens: () => accessTokens.clear(),
    revokeAll() {
      accessTokens.clear();
      refreshTokens.clear();
    },
  };
}
