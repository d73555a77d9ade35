import { timingSafeEqual } from "node:crypto";
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
import { boundedFetch } from "../bounded-fetch.ts";
import type { OAuthConfig } from "../mcp-config.ts";
import { problemText, quoted } from "../untrusted.ts";
import { deviceEndpointOf, startDeviceLogin } from "./device-login.ts";
import { KeptLogin } from "./kept-login.ts";
import type { LoginPort } from "./login-port.ts";
import { isMachine, OAuthClient } from "./oauth-client.ts";
import { hasScopes, scopeUnion } from "./scopes.ts";

/** A person who did not react is not asked again sooner. */
const askAgainMs = 24 * 3_600_000;

/** Nobody can use the server before a person has logged in. */
export class LoginNeeded extends Error {
  override readonly name = "LoginNeeded";
}

export interface ServerLoginDeps {
  readonly server: string;
  readonly url: string;
  readonly settings: OAuthConfig;
  readonly port: LoginPort;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: FetchLike;
  onLoggedIn(): void;
}

/** The login to one server: hands out its token, renews it, and asks a person where that is not enough. */
export class ServerLogin {
  readonly #deps: ServerLoginDeps;
  readonly #kept: KeptLogin;
  readonly #client: OAuthClient;
  readonly #fetch: FetchLike;
  readonly #stopping = new AbortController();
  #renewing: Promise<void> | undefined;
  #waiting: Promise<void> | undefined;
  #handedOut: string | undefined;
  /** What calls were refused for, as far as this process knows. */
  #missing: string | undefined;
  /** The token is held back: the server would let us in with what it gave before. */
  #isWidening = false;
  /** When a code was last shown. It dies with this process, so the store does not know. */
  #codeShownAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ServerLoginDeps) {
    this.#deps = deps;
    this.#fetch = boundedFetch(deps.fetch, deps.clock);
    this.#kept = new KeptLogin(deps.server, deps.port.store, deps.log);
    this.#client = new OAuthClient({
      settings: deps.settings,
      kept: this.#kept,
      clock: deps.clock,
      checkMayBegin: () => {
        if (deps.port.ask === undefined) throw this.#needed();
      },
      onLogin: (url) => this.#ask(url),
    });
  }

  /** For the transport. A refusal of the token throws `LoginNeeded` unless the token can be renewed. */
  authProvider(): AuthProvider {
    return {
      token: async () => {
        if (this.#missing !== undefined) await this.#lookAgain();
        this.#handedOut = this.#isWidening ? undefined : (await this.#client.tokens())?.access_token;
        return this.#handedOut;
      },
      onUnauthorized: async ({ response }) => {
        this.#renewing ??= this.#renew(response).finally(() => {
          this.#renewing = undefined;
        });
        await this.#renewing;
      },
    };
  }

  /** Ends a login in a browser with the parameters of the address it was sent back to. */
  async finish(callback: URLSearchParams): Promise<void> {
    const { state } = await this.#kept.progress();
    if (state === undefined || !isSame(state, callback.get("state") ?? "")) {
      throw new GatewayError(`this address belongs to no open login of the MCP server "${this.#deps.server}"`, {
        code: "invalid_request",
      });
    }
    await this.#kept.note({ state: undefined });
    const sdk = await import("@modelcontextprotocol/client");
    const transport = new sdk.StreamableHTTPClientTransport(new URL(this.#deps.url), {
      authProvider: this.#client,
      fetch: this.#fetch,
    });
    try {
      await transport.finishAuth(callback);
    } catch (cause) {
      await this.#kept.note({ verifier: undefined });
      const { message } = cause as Error;
      const why = sdk.OAuthError.isInstance(cause) ? `. ${quoted(message)}` : `: ${problemText(message)}`;
      throw new GatewayError(`the login failed${why}`, { code: "unauthorized", cause });
    }
    await this.#lookAgain();
    this.#deps.onLoggedIn();
  }

  /**
   * The next refusal asks a person, however long ago the last time was. Where calls were refused for their scope, or `isAnew` holds, the
   * next connection is one: then true.
   */
  async askAgain(isAnew = false): Promise<boolean> {
    this.#codeShownAt = Number.NEGATIVE_INFINITY;
    await this.#kept.note({ askedAt: undefined });
    await this.#lookAgain();
    this.#isWidening = isAnew || this.#missing !== undefined;
    return this.#isWidening;
  }

  /** Keeps what the next login has to ask for, which a renewal would not give. Says whether there is a way to ask for it now. */
  async needsScope(scope: string | undefined): Promise<boolean> {
    const progress = await this.#kept.progress();
    const wanted = scopeUnion(progress.wanted, scope);
    if (wanted === undefined) return false;
    await this.#kept.note({ wanted });
    this.#missing = wanted;
    // What was asked for and not given is not asked for again by itself.
    const isNew = wanted !== progress.wanted && !hasScopes(progress.scope, wanted);
    const canAsk = isNew && (this.#deps.port.ask !== undefined || isMachine(this.#deps.settings));
    if (canAsk) await this.askAgain();
    return canAsk;
  }

  /** For the operator: what the login lacks. */
  get shortage(): string | undefined {
    if (this.#missing === undefined) return undefined;
    const { settings, port, server } = this.#deps;
    const remedy = isMachine(settings) ? "its client may not have it" : port.remedy?.(server);
    return [`it wants the scope "${this.#missing}" for some calls`, remedy].filter(Boolean).join(": ");
  }

  async #lookAgain(): Promise<void> {
    this.#missing = (await this.#kept.progress()).wanted;
    this.#isWidening &&= this.#missing !== undefined;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #renew(response: Response): Promise<void> {
    const sdk = await import("@modelcontextprotocol/client");
    const tokens = await this.#client.tokens();
    // Another process that shares the store has renewed it meanwhile.
    if (!this.#isWidening && tokens !== undefined && tokens.access_token !== this.#handedOut) return;
    const isByPerson = !isMachine(this.#deps.settings);
    const isVain = isByPerson && (this.#deps.port.ask === undefined || (await this.#isAsked()));
    const canRenew = isByPerson && tokens?.refresh_token !== undefined && !this.#isWidening;
    if (!canRenew && isVain) throw this.#needed();
    const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
    const serverUrl = new URL(this.#deps.url);
    const found = {
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      fetchFn: this.#fetch,
    };
    if (!canRenew) {
      const discovery = await sdk.discoverOAuthServerInfo(serverUrl, found);
      await this.#client.saveDiscoveryState({
        ...discovery,
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
      });
    }
    const before = await this.#kept.progress();
    const more = before.wanted === undefined ? [] : [before.scope, tokens?.scope, before.wanted];
    const wanted = scopeUnion(this.#deps.settings.scope ?? scope, ...more);
    const outcome = await sdk.auth(this.#client, {
      serverUrl,
      ...found,
      ...(wanted === undefined ? {} : { scope: wanted }),
      forceReauthorization: !canRenew,
    });
    if (outcome !== "AUTHORIZED") throw this.#needed();
    await this.#lookAgain();
  }

  async #isAsked(): Promise<boolean> {
    if (this.#waiting !== undefined) return true;
    const { askedAt = this.#codeShownAt } = await this.#kept.progress();
    // Kept over a restart, so by the wall clock; a time in the future is that of a clock that was set back.
    return Math.abs(this.#deps.clock.now() - askedAt) < askAgainMs;
  }

  #needed(): LoginNeeded {
    const { ask, remedy } = this.#deps.port;
    if (ask !== undefined) return new LoginNeeded("a person has been asked to log in");
    return new LoginNeeded(
      ["nobody has logged in, or the login has ended", remedy?.(this.#deps.server)].filter(Boolean).join(": "),
    );
  }

  async #ask(authorizationUrl: URL): Promise<void> {
    const { clock, server, port, settings } = this.#deps;
    const { discovery } = await this.#kept.progress();
    await this.#kept.note({ scope: authorizationUrl.searchParams.get("scope") ?? undefined });
    const endpoint = deviceEndpointOf(discovery);
    if (endpoint !== undefined) {
      await this.#askForCode(endpoint, authorizationUrl);
      return;
    }
    if (settings.redirectUrl === undefined) {
      throw new GatewayError(
        `mcp.servers.${server}.oauth.redirectUrl is missing, and the server offers no login by code`,
        { code: "invalid_request" },
      );
    }
    const url = checkedAddress(authorizationUrl.href);
    await port.ask?.({ kind: "browser", server, url }, this.#stopping.signal);
    await this.#kept.note({ askedAt: clock.now() });
  }

  async #askForCode(endpoint: string, authorizationUrl: URL): Promise<void> {
    const { server, port, clock, log, onLoggedIn } = this.#deps;
    const { signal } = this.#stopping;
    const sdk = await import("@modelcontextprotocol/client");
    const { discovery } = await this.#kept.progress();
    const metadata = discovery?.authorizationServerMetadata;
    const issuer = metadata?.issuer ?? "";
    const client = await this.#client.clientInformation({ issuer });
    if (metadata === undefined || client === undefined) throw this.#needed();
    const login = await startDeviceLogin(
      {
        endpoint: sdk.assertSecureTokenEndpoint(endpoint).href,
        tokenEndpoint: sdk.assertSecureTokenEndpoint(metadata.token_endpoint).href,
        client,
        scope: authorizationUrl.searchParams.get("scope") ?? undefined,
        resource: authorizationUrl.searchParams.get("resource") ?? undefined,
        fetch: this.#fetch,
        clock,
      },
      signal,
    );
    const { userCode, expiresAt } = login;
    const url = checkedAddress(login.url);
    await port.ask?.({ kind: "code", server, url, userCode, expiresAt }, signal);
    this.#codeShownAt = clock.now();
    this.#waiting = login
      .wait(signal)
      .then(async (tokens) => {
        await this.#client.saveTokens({ ...tokens, issuer }, { issuer });
        await this.#lookAgain();
        onLoggedIn();
      })
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ error }, "login to an MCP server failed");
      })
      .finally(() => {
        this.#waiting = undefined;
      });
  }
}

/** Where a server sends a person. Throws `forbidden` unless that is https or on this machine. */
function checkedAddress(text: string): string {
  const url = URL.parse(text);
  const isHere = url?.hostname === "127.0.0.1" || url?.hostname === "localhost" || url?.hostname === "[::1]";
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return url.href;
  throw new GatewayError("the server asks to log in at an address that is not https", { code: "forbidden" });
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
