import { createHash, randomBytes, randomUUID } from "node:crypto";
import { GatewayError } from "@talaria/protocol";
import { askJson, errorCode, form } from "../logins/ask-json.ts";
import { subjectOf } from "../logins/id-token.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import { type KeptClient, loadClient, saveClient } from "../logins/model-logins.ts";
import {
  authorizeUrl,
  type ChatGptSettings,
  defaultRedirectUrl,
  loginOf,
  openAiApi,
  openAiIssuer,
  remedyOf,
  tokenUrl,
} from "./chatgpt-config.ts";
import { type ChatGptTokenDeps, keepTokens } from "./chatgpt-tokens.ts";

/*
 * Sign in with ChatGPT for open-source tools, as OpenAI documents it at
 * https://developers.openai.com/siwc/token-sharing-open-source/sign-in: OAuth 2.0 with PKCE (RFC 7636) and OpenID Connect. The first
 * login registers this installation: the answer brings the client id that all later ones use.
 */

const firstClientId = "dynamic_agent_client";
const planScope = "chatgpt.tokens.use.direct";
const scopes = `openid profile email offline_access resource.invoke ${planScope}`;
const agentName = "Talaria";

/** One login in a browser. */
export interface ChatGptLogin {
  /** Where the person goes. Holds no secret. */
  readonly url: string;
  readonly redirectUrl: string;
  /**
   * Ends it with what the browser was sent back with. Throws `invalid_request` for parameters that belong to another login, and
   * leaves this one open; a `LoginFailure` says why there is none.
   */
  finish(parameters: URLSearchParams, signal: AbortSignal): Promise<void>;
}

/** Keeps nothing of a person before `finish`. */
export async function beginChatGptLogin(settings: ChatGptSettings, deps: ChatGptTokenDeps): Promise<ChatGptLogin> {
  const { logins } = deps;
  const login = loginOf(settings);
  const redirectUrl = settings.oauth?.redirectUrl ?? defaultRedirectUrl;
  const client = (await loadClient(logins, login)) ?? { hostId: `urn:uuid:${randomUUID()}` };
  const [state, nonce, verifier] = [secret(), secret(), secret()];
  const url = authorizeUrl(settings);
  for (const [name, value] of Object.entries({
    client_id: client.clientId ?? firstClientId,
    ...(client.clientId === undefined && { agent_name_hint: agentName }),
    ext_agent_host_id: client.hostId,
    response_type: "code",
    redirect_uri: redirectUrl,
    scope: scopes,
    resource: openAiApi,
    state,
    nonce,
    code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    ...(client.isDeclined && { prompt: "consent" }),
  }))
    url.searchParams.set(name, value);
  let isOver = false;

  return {
    url: url.href,
    redirectUrl,
    async finish(parameters, signal) {
      if (isOver || parameters.get("state") !== state)
        throw new GatewayError("these parameters belong to another login", { code: "invalid_request" });
      isOver = true;
      const clientId = issuedClient(client, parameters);
      const fields = {
        grant_type: "authorization_code",
        client_id: clientId,
        code: codeIn(parameters, settings),
        code_verifier: verifier,
        redirect_uri: redirectUrl,
        resource: openAiApi,
      };
      const answer = await askJson(tokenUrl(settings), form(fields), signal);
      if (answer.status !== 200) throw failed(`OpenAI did not take the code (${errorCode(answer)})`, settings);
      const { id_token: idToken, scope } = answer.body;
      const issuer = settings.oauth?.issuer ?? openAiIssuer;
      const facts = { issuer, clientId, nonce, now: deps.clock.now() };
      const subject = subjectOf(typeof idToken === "string" ? idToken : "", await keysOf(issuer, signal), facts);
      if (client.subject !== undefined && client.subject !== subject)
        throw failed(
          `this is another ChatGPT account than before: run \`talaria model logout ${login} --forget\` first`,
        );
      const isDeclined = !String(scope).split(" ").includes(planScope);
      await whenAlone(deps, login, async () => {
        await saveClient(logins, login, {
          hostId: client.hostId,
          clientId,
          subject,
          ...(isDeclined && { isDeclined }),
        });
        if (!isDeclined) await keepTokens(answer, { ...deps, login });
      });
      if (isDeclined) throw failed("the use of the ChatGPT plan was not allowed", settings);
    },
  };
}

/**
 * Forgets a login and tells OpenAI so. False when nothing was kept. What this installation is known by stays for the next login,
 * unless `isForAll`. A provider that cannot be told keeps nobody from logging out.
 */
export async function endChatGptLogin(
  settings: ChatGptSettings,
  deps: ChatGptTokenDeps & { readonly isForAll: boolean },
  signal: AbortSignal,
): Promise<{ readonly wasKept: boolean; readonly isRevoked: boolean }> {
  const { logins } = deps;
  const login = loginOf(settings);
  let refreshToken: string | undefined;
  let wasKept = false;
  const client = await loadClient(logins, login);
  await whenAlone(deps, login, async () => {
    refreshToken = await logins.load(login, "renewal");
    wasKept = refreshToken !== undefined || (await logins.load(login, "access")) !== undefined;
    await logins.forget(login, "renewal");
    await logins.forget(login, "access");
    if (deps.isForAll) await logins.forget(login, "client");
  });
  if (refreshToken === undefined || client?.clientId === undefined) return { wasKept, isRevoked: false };
  const isRevoked = await revoke(settings, { client_id: client.clientId, token: refreshToken }, signal).catch(
    () => false,
  );
  return { wasKept, isRevoked };
}

const patienceMs = 45_000;
const lookMs = 250;

/** A renewal that is under way would keep its tokens over ours. */
async function whenAlone({ logins, clock }: ChatGptTokenDeps, login: string, work: () => Promise<void>): Promise<void> {
  const until = clock.elapsed() + patienceMs;
  while (!(await logins.alone(login, work))) {
    if (clock.elapsed() >= until)
      throw new LoginFailure(`another process works on the login ${login}: try again in a minute`, {
        kind: "overloaded",
      });
    await clock.sleep(lookMs);
  }
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function failed(reason: string, settings?: ChatGptSettings): LoginFailure {
  return new LoginFailure(settings === undefined ? reason : `${reason}: ${remedyOf(settings)} again`, { kind: "auth" });
}

/** A first login brings an id of its own; a later one has the one it began with. */
function issuedClient({ clientId: known }: Partial<KeptClient>, parameters: URLSearchParams): string {
  const told = parameters.get("client_id");
  const issued = known ?? told;
  const isWrong = (known !== undefined && told !== null && told !== known) || issued === firstClientId;
  if (!parameters.has("error") && (isWrong || !issued))
    throw failed("OpenAI's answer does not name the client of this installation: log in again");
  return issued ?? "";
}

function codeIn(parameters: URLSearchParams, settings: ChatGptSettings): string {
  const code = parameters.get("code");
  if (code) return code;
  const told = parameters.get("error") ?? "no code";
  const word = /^[a-z_]{1,64}$/.test(told) ? told : "an error without a name";
  throw failed(word === "access_denied" ? "the login was declined" : `OpenAI ended the login (${word})`, settings);
}

interface Discovered {
  readonly keysUrl: string;
  readonly revocationUrl?: string;
}

/** OpenID Connect Discovery 1.0. Everything has to be the issuer's own. */
async function discover(issuer: string, signal: AbortSignal): Promise<Discovered> {
  const { status, body } = await askJson(new URL("/.well-known/openid-configuration", issuer), {}, signal);
  const isOwn = (url: unknown): url is string =>
    typeof url === "string" && URL.parse(url)?.origin === new URL(issuer).origin;
  const { issuer: named, jwks_uri: keysUrl, revocation_endpoint: revocationUrl } = body;
  if (status !== 200 || named !== issuer || !isOwn(keysUrl))
    throw failed(`${issuer} does not describe itself as an issuer of ID tokens`);
  return { keysUrl, ...(isOwn(revocationUrl) && { revocationUrl }) };
}

async function keysOf(issuer: string, signal: AbortSignal): Promise<readonly unknown[]> {
  const { keysUrl } = await discover(issuer, signal);
  const { keys } = (await askJson(new URL(keysUrl), {}, signal)).body;
  return Array.isArray(keys) ? keys.slice(0, 100) : [];
}

/** RFC 7009. */
async function revoke(
  { oauth }: ChatGptSettings,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { revocationUrl } = await discover(oauth?.issuer ?? openAiIssuer, signal);
  if (revocationUrl === undefined) return false;
  const { status } = await askJson(
    new URL(revocationUrl),
    form({ ...fields, token_type_hint: "refresh_token" }),
    signal,
  );
  return status === 200;
}
