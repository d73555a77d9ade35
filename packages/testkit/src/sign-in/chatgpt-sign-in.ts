import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "../loopback-server.ts";

/*
 * Sign in with ChatGPT, as strict as the documents: registration and scopes as in
 * https://developers.openai.com/siwc/token-sharing-open-source/sign-in, renewals and their errors as in its pages
 * profiles-and-sessions, token-reference and errors-and-recovery, PKCE (RFC 7636), ID tokens (OpenID Connect Core 1.0), revocation
 * (RFC 7009). A refresh token works once; one that comes again ends the login.
 */

const planScope = "chatgpt.tokens.use.direct";
const allScopes = ["openid", "profile", "email", "offline_access", "resource.invoke", planScope];
const resource = "https://api.openai.com/v1";
const firstClient = "dynamic_agent_client";

interface SignInOptions {
  now(): number;
  /** How long an access token is good for. */
  readonly lifeSeconds?: number;
}

/** What the person who logs in does. */
interface Visitor {
  readonly subject?: string;
  /** They log in, but do not let their plan be used. */
  readonly keepsPlan?: boolean;
  readonly declines?: boolean;
}

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly subject: string;
  readonly scope: string;
}

interface Family {
  readonly clientId: string;
  current: string;
  isOver: boolean;
}

export class ChatGptSignIn implements AsyncDisposable {
  /** Access tokens that are taken, for the server of the API. */
  readonly accessTokens: string[] = [];
  readonly seen = { registrations: 0, renewals: 0, revocations: 0 };
  /** Sentences about requests that the documents do not allow. */
  readonly flaws: string[] = [];
  /** A renewal that comes now is answered with this status, and costs nothing. */
  outage: number | undefined;
  /** What an ID token says otherwise than it should. */
  falseClaims: Readonly<Record<string, unknown>> = {};
  readonly #options: SignInOptions;
  readonly #key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly #clients = new Set<string>();
  readonly #codes = new Map<string, Grant>();
  readonly #families = new Map<string, Family>();
  #names = 0;
  #http: LoopbackServer | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#key = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  }

  async start(): Promise<void> {
    this.#http = await LoopbackServer.listen((request, response) => void this.#serve(request, response));
  }

  get issuer(): string {
    if (this.#http === undefined) throw new Error("the server has not been started");
    return this.#http.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http?.stop();
  }

  /** Does what a browser and a person do. Returns where the browser is sent back to; throws what OpenAI would show instead. */
  async visit(address: string, person: Visitor = {}): Promise<URL> {
    const url = new URL(address);
    const asked = Object.fromEntries(url.searchParams);
    const flaw = url.pathname === "/api/accounts/authorize" ? this.#flawOf(asked) : "no such page";
    if (flaw !== undefined) throw new Error(`OpenAI shows an error page: ${flaw}`);
    const back = new URL(asked.redirect_uri ?? "");
    back.searchParams.set("state", asked.state ?? "");
    if (person.declines) {
      back.searchParams.set("error", "access_denied");
      return back;
    }
    const isNew = asked.client_id === firstClient;
    const clientId = isNew ? this.#newName("oaiapp_") : (asked.client_id ?? "");
    if (isNew) {
      this.seen.registrations += 1;
      this.#clients.add(clientId);
      back.searchParams.set("client_id", clientId);
    }
    const code = this.#newName("code-");
    this.#codes.set(code, {
      clientId,
      redirectUri: asked.redirect_uri ?? "",
      challenge: asked.code_challenge ?? "",
      nonce: asked.nonce ?? "",
      subject: person.subject ?? "user-ada",
      scope: (person.keepsPlan ? allScopes.filter((scope) => scope !== planScope) : allScopes).join(" "),
    });
    back.searchParams.set("code", code);
    return back;
  }

  /** No access token that was given so far is taken. */
  expireAccess(): void {
    this.accessTokens.length = 0;
  }

  /** And none is renewed: the person has disconnected us in their settings. */
  disconnect(): void {
    this.expireAccess();
    for (const family of this.#families.values()) family.isOver = true;
  }

  #flawOf(asked: Readonly<Record<string, string | undefined>>): string | undefined {
    const isNew = asked.client_id === firstClient;
    if (!isNew && !this.#clients.has(asked.client_id ?? "")) return "unknown client";
    if (isNew !== (asked.agent_name_hint !== undefined)) return "agent_name_hint is for a first registration alone";
    if (!/^urn:uuid:[0-9a-f-]{36}$/.test(asked.ext_agent_host_id ?? "")) return "ext_agent_host_id";
    if (asked.response_type !== "code" || asked.code_challenge_method !== "S256") return "response_type or PKCE";
    if (!/^[A-Za-z0-9_-]{43}$/.test(asked.code_challenge ?? "")) return "code_challenge";
    if (!/^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/.test(asked.redirect_uri ?? "")) return "redirect_uri";
    if (asked.resource !== resource) return "resource";
    if (asked.scope !== allScopes.join(" ")) return "scope";
    return asked.state && asked.nonce ? undefined : "state and nonce";
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.issuer);
    const fields = Object.fromEntries(new URLSearchParams(await textOf(request)));
    const [status, body] = this.#answer(`${request.method} ${pathname}`, fields, request.headers["content-type"]);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #answer(
    route: string,
    fields: Readonly<Record<string, string | undefined>>,
    type = "",
  ): readonly [status: number, body: unknown] {
    const { issuer } = this;
    if (route.startsWith("POST ") && !type.startsWith("application/x-www-form-urlencoded")) return [415, {}];
    switch (route) {
      case "GET /.well-known/openid-configuration":
        return [200, { issuer, jwks_uri: `${issuer}/keys`, revocation_endpoint: `${issuer}/revoke` }];
      case "GET /keys":
        return [
          200,
          { keys: [{ ...this.#key.publicKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] },
        ];
      case "POST /api/accounts/oauth/token":
        return fields.grant_type === "refresh_token" ? this.#renew(fields) : this.#exchange(fields);
      case "POST /revoke":
        return this.#revoke(fields);
      default:
        return [404, {}];
    }
  }

  #exchange(fields: Readonly<Record<string, string | undefined>>): readonly [number, unknown] {
    const grant = this.#codes.get(fields.code ?? "");
    this.#codes.delete(fields.code ?? "");
    const verifier = fields.code_verifier ?? "";
    const isOurs =
      fields.grant_type === "authorization_code" &&
      fields.client_id === grant?.clientId &&
      fields.redirect_uri === grant?.redirectUri &&
      fields.resource === resource &&
      createHash("sha256").update(verifier).digest("base64url") === grant?.challenge;
    if (grant === undefined || !isOurs) return refused("invalid_grant");
    const refreshToken = this.#newName("refresh-");
    this.#families.set(refreshToken, { clientId: grant.clientId, current: refreshToken, isOver: false });
    return [200, { ...this.#tokens(refreshToken), id_token: this.#idToken(grant), scope: grant.scope }];
  }

  #renew(fields: Readonly<Record<string, string | undefined>>): readonly [number, unknown] {
    this.seen.renewals += 1;
    if (this.outage !== undefined) return [this.outage, { error: "temporarily_unavailable" }];
    if ("scope" in fields || fields.resource !== resource) {
      this.flaws.push("a renewal names the resource, and no scope");
      return refused("invalid_request");
    }
    const token = fields.refresh_token ?? "";
    const family = this.#families.get(token);
    if (family === undefined) return refused("invalid_grant");
    if (fields.client_id !== family.clientId) return refused("invalid_client", 401);
    if (family.isOver) return refused("refresh_token_invalidated", 401);
    if (family.current !== token) {
      family.isOver = true;
      this.expireAccess();
      return refused("refresh_token_reused", 401);
    }
    family.current = this.#newName("refresh-");
    this.#families.set(family.current, family);
    return [200, this.#tokens(family.current)];
  }

  #revoke(fields: Readonly<Record<string, string | undefined>>): readonly [number, unknown] {
    this.seen.revocations += 1;
    const family = this.#families.get(fields.token ?? "");
    if (fields.token_type_hint !== "refresh_token" || fields.client_id === undefined) return refused("invalid_request");
    if (family !== undefined) family.isOver = true;
    return [200, {}];
  }

  #tokens(refreshToken: string): object {
    const accessToken = this.#newName("eyJhY2Nlc3M.");
    this.accessTokens.push(accessToken);
    const lifeSeconds = this.#options.lifeSeconds ?? 3_600;
    return { access_token: accessToken, refresh_token: refreshToken, token_type: "Bearer", expires_in: lifeSeconds };
  }

  #newName(prefix: string): string {
    this.#names += 1;
    return `${prefix}${String(this.#names).padStart(12, "0")}`;
  }

  #idToken({ clientId, nonce, subject }: Grant): string {
    const now = Math.floor(this.#options.now() / 1_000);
    const claims = { iss: this.issuer, aud: [clientId], sub: subject, nonce, iat: now, exp: now + 3_600 };
    const text = [
      { alg: "RS256", typ: "JWT", kid: "1" },
      { ...claims, ...this.falseClaims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${text}.${sign("sha256", Buffer.from(text), this.#key.privateKey).toString("base64url")}`;
  }
}

/** Starts it on a loopback port. */
export async function startChatGptSignIn(options: SignInOptions): Promise<ChatGptSignIn> {
  const server = new ChatGptSignIn(options);
  await server.start();
  return server;
}

/** Its answers sometimes say more than the code: nothing of that may reach a log. */
function refused(code: string, status = 400): readonly [number, unknown] {
  return [
    status,
    { error: status === 401 ? { code, message: "canary of a token" } : code, error_description: "canary" },
  ];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) {
    text += String(piece);
    if (text.length > 65_536) throw new Error("form above 64 KiB");
  }
  return text;
}
