import { randomBytes } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { OAuthConfig } from "../mcp-config.ts";
import { deviceEndpointOf, deviceGrant } from "./device-login.ts";
import type { KeptLogin } from "./kept-login.ts";
import { hasScopes } from "./scopes.ts";

const otherRenewalMs = 2_000;
/** Registered where nobody is ever sent back to: the login goes by code. */
const nowhere = "http://127.0.0.1/callback";

const machineGrant = "client_credentials";

/** Whether the client logs in as itself. */
export function isMachine({ grant }: Pick<OAuthConfig, "grant">): boolean {
  return grant === machineGrant;
}

export interface OAuthClientDeps {
  readonly settings: OAuthConfig;
  readonly kept: KeptLogin;
  readonly clock: Clock;
  /** Throws where no login may begin. */
  checkMayBegin(): void;
  /** Shows the person where to go. */
  onLogin(url: URL): Promise<void>;
}

/** What the SDK's OAuth functions ask of a client. They speak PKCE, check `iss`, and bind each token to its issuer. */
export class OAuthClient implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #deps: OAuthClientDeps;
  #discovery: OAuthDiscoveryState | undefined;
  #usedRefreshToken: string | undefined;

  constructor(deps: OAuthClientDeps) {
    this.#deps = deps;
    const { clientMetadataUrl } = deps.settings;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  /** Undefined: nobody is sent anywhere. */
  get redirectUrl(): string | undefined {
    return isMachine(this.#deps.settings) ? undefined : (this.#deps.settings.redirectUrl ?? nowhere);
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, clientSecret } = this.#deps.settings;
    const isByCode = deviceEndpointOf(this.#discovery) !== undefined;
    const { redirectUrl } = this;
    return {
      client_name: "Talaria",
      redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
      grant_types:
        redirectUrl === undefined
          ? [machineGrant]
          : ["authorization_code", "refresh_token", ...(isByCode ? [deviceGrant] : [])],
      response_types: redirectUrl === undefined ? [] : ["code"],
      token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_basic",
      ...(scope === undefined ? {} : { scope }),
    };
  }

  /** RFC 6749, 4.4.2. Undefined: a code is redeemed. */
  async prepareTokenRequest(scope?: string): Promise<URLSearchParams | undefined> {
    if (!isMachine(this.#deps.settings)) return undefined;
    await this.#deps.kept.note({ scope });
    return new URLSearchParams({ grant_type: machineGrant, ...(scope === undefined ? {} : { scope }) });
  }

  async state(): Promise<string> {
    this.#deps.checkMayBegin();
    const state = randomBytes(24).toString("base64url");
    await this.#deps.kept.note({ state });
    return state;
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#deps.settings;
    if (clientId !== undefined) {
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    }
    return (await this.#deps.kept.credentials(await this.#issuer(context))).client;
  }

  /** A client that was registered by hand is in the configuration, and nowhere else. */
  async saveClientInformation(
    client: StoredOAuthClientInformation,
    context?: OAuthClientInformationContext,
  ): Promise<void> {
    if (this.#deps.settings.clientId !== undefined) return;
    await this.#deps.kept.keep(await this.#issuer(context), { client, redirectUrl: this.redirectUrl });
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    const { tokens } = await this.#deps.kept.credentials(await this.#issuer(context));
    // Only a renewal says whose tokens it wants.
    if (context !== undefined) this.#usedRefreshToken = tokens?.refresh_token;
    return tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    const issuer = await this.#issuer(context);
    const { kept } = this.#deps;
    const { verifier, scope, wanted } = await kept.progress();
    // A renewal gives no more than there was.
    const isNew = verifier !== undefined || isMachine(this.#deps.settings);
    const isWider = isNew && hasScopes(scope, wanted);
    await kept.keep(issuer, { tokens });
    await kept.note({
      ...{ issuer, state: undefined, verifier: undefined, askedAt: undefined },
      ...(isWider ? { wanted: undefined } : {}),
    });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (await this.#isRegisteredElsewhere()) {
      await this.#deps.kept.keep(await this.#issuer(), { client: undefined, redirectUrl: undefined });
      throw new GatewayError("the client was registered for another redirectUrl, and registers itself again", {
        code: "unavailable",
      });
    }
    await this.#deps.onLogin(url);
  }

  /** The server would refuse to send anybody back to us. */
  async #isRegisteredElsewhere(): Promise<boolean> {
    const { client, redirectUrl } = await this.#deps.kept.credentials(await this.#issuer());
    const isRegistered = client !== undefined && client.client_id !== this.clientMetadataUrl;
    if (!isRegistered || this.#deps.settings.clientId !== undefined) return false;
    if (deviceEndpointOf(this.#discovery) !== undefined) return false;
    const known = "redirect_uris" in client && Array.isArray(client.redirect_uris) ? client.redirect_uris : [];
    return redirectUrl === undefined ? !known.includes(this.redirectUrl ?? "") : redirectUrl !== this.redirectUrl;
  }

  async saveCodeVerifier(verifier: string): Promise<void> {
    await this.#deps.kept.note({ verifier });
  }

  async codeVerifier(): Promise<string> {
    return (await this.#deps.kept.progress()).verifier ?? "";
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    this.#discovery = (await this.#deps.kept.progress()).discovery;
    return this.#discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    this.#discovery = discovery;
    await this.#deps.kept.note({ discovery });
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const { kept } = this.#deps;
    const issuer = await this.#issuer();
    const is = (part: typeof scope) => scope === part || scope === "all";
    if (is("client")) await kept.keep(issuer, { client: undefined, redirectUrl: undefined });
    if (is("tokens")) await this.#forgetTokens(issuer);
    if (is("verifier")) await kept.note({ verifier: undefined });
    if (is("discovery")) await kept.note({ discovery: undefined });
  }

  /** A refresh token that works once fails for the second process that uses it, while the first is about to keep its new one. */
  async #forgetTokens(issuer: string): Promise<void> {
    const { kept, clock } = this.#deps;
    await clock.sleep(otherRenewalMs);
    const { tokens } = await kept.credentials(issuer);
    if (tokens?.refresh_token === this.#usedRefreshToken) await kept.keep(issuer, { tokens: undefined });
  }

  async #issuer(context?: OAuthClientInformationContext): Promise<string> {
    if (context !== undefined) return context.issuer;
    const { issuer, discovery } = await this.#deps.kept.progress();
    return issuer ?? discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl ?? "none";
  }
}
