import type { Clock } from "@talaria/protocol";
import { askJson, errorCode, form, type JsonAnswer } from "../logins/ask-json.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import { type KeptAccess, loadAccess, loadClient, type ModelLogins, saveAccess } from "../logins/model-logins.ts";
import type { TokenSource } from "../logins/token-model.ts";
import { type ChatGptSettings, endedText, loginOf, missingText, openAiApi, tokenUrl } from "./chatgpt-config.ts";

/** Access tokens are good for an hour: https://developers.openai.com/siwc/token-sharing-open-source/token-reference */
const renewBeforeMs = 5 * 60_000;
const defaultLifeMs = 3_600_000;
/** Somebody may have logged out, or in again, meanwhile. */
const lookAgainMs = 60_000;
const otherRenewalMs = 45_000;
const lookMs = 250;

/**
 * A refresh token that is answered so can never work again:
 * https://developers.openai.com/siwc/token-sharing-open-source/errors-and-recovery
 */
const endings: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_refresh_token",
  "token_expired",
  "refresh_token_expired",
  "refresh_token_invalidated",
  "refresh_token_reused",
  "invalid_client",
]);

type Access = Extract<KeptAccess, { readonly token: string }>;

export interface ChatGptTokenDeps {
  readonly logins: ModelLogins;
  readonly clock: Clock;
}

/**
 * The access token of a login with ChatGPT. Each refresh token works once, so one process alone renews it, and the others wait
 * for what it keeps.
 */
export function createChatGptTokens(settings: ChatGptSettings, deps: ChatGptTokenDeps): TokenSource {
  const { logins, clock } = deps;
  const login = loginOf(settings);
  let known: { readonly access: Access; readonly at: number } | undefined;
  let renewing: Promise<Access> | undefined;

  async function kept(): Promise<Access> {
    const access = await loadAccess(logins, login);
    if (access === undefined) throw new LoginFailure(missingText(settings), { kind: "auth" });
    if ("ended" in access) throw new LoginFailure(endedText(settings, access.ended), { kind: "auth" });
    known = { access, at: clock.elapsed() };
    return access;
  }

  const isFresh = ({ token, expiresAt }: Access, refused: string | undefined) =>
    token !== refused && expiresAt - renewBeforeMs > clock.now();

  /** As soon as this process may, unless another one has done it by then. */
  async function renewed(refused: string | undefined): Promise<Access> {
    const until = clock.elapsed() + otherRenewalMs;
    while (clock.elapsed() < until) {
      const isDone = await logins.alone(login, async () => {
        if (!isFresh(await kept(), refused)) await renew(settings, deps);
      });
      const access = await kept();
      if (isDone || isFresh(access, refused)) return access;
      await clock.sleep(lookMs);
    }
    throw new LoginFailure("another process takes too long to renew the login to ChatGPT", { kind: "overloaded" });
  }

  return {
    async token(signal, refused) {
      if (known !== undefined && clock.elapsed() - known.at < lookAgainMs && isFresh(known.access, refused))
        return known.access.token;
      const access = await kept();
      if (isFresh(access, refused)) return access.token;
      renewing ??= renewed(refused).finally(() => {
        renewing = undefined;
      });
      try {
        return (await stopped(renewing, signal)).token;
      } catch (error) {
        // Renewed somewhat early, so what there is may do meanwhile.
        const isOver = error instanceof LoginFailure && error.kind === "auth";
        if (isOver || access.token === refused || access.expiresAt <= clock.now()) throw error;
        return access.token;
      }
    },
  };
}

/** Keeps what the provider gives for the refresh token. Throws a `LoginFailure`; the login has ended when it is about `auth`. */
async function renew(settings: ChatGptSettings, { logins, clock }: ChatGptTokenDeps): Promise<void> {
  const login = loginOf(settings);
  const [refreshToken, client] = await Promise.all([logins.load(login, "renewal"), loadClient(logins, login)]);
  if (refreshToken === undefined || client?.clientId === undefined) return await end("refresh_token_missing");
  const fields = { grant_type: "refresh_token", client_id: client.clientId, refresh_token: refreshToken };
  // Not ended by whoever asked: what the provider gives now, it gives once.
  const answer = await askJson(
    tokenUrl(settings),
    form({ ...fields, resource: openAiApi }),
    new AbortController().signal,
  );
  if (answer.status === 200) return await keepTokens(answer, { logins, clock, login });
  const code = errorCode(answer);
  if (endings.has(code)) return await end(code);
  throw new LoginFailure(`OpenAI did not renew the login to ChatGPT (${code})`, { kind: "overloaded" });

  async function end(reason: string): Promise<void> {
    await logins.forget(login, "renewal");
    await saveAccess(logins, login, { ended: reason });
  }
}

/**
 * The refresh token first: a process that dies in between leaves a login that can be renewed. Throws a `LoginFailure` when
 * something is missing.
 */
export async function keepTokens(
  { body }: JsonAnswer,
  { logins, clock, login }: ChatGptTokenDeps & { readonly login: string },
): Promise<void> {
  const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = body;
  if (typeof token !== "string" || token === "" || typeof refreshToken !== "string" || refreshToken === "")
    throw new LoginFailure("OpenAI answered without an access token and a refresh token", { kind: "overloaded" });
  const lifeMs = typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : defaultLifeMs;
  await logins.save(login, "renewal", refreshToken);
  await saveAccess(logins, login, { token, expiresAt: clock.now() + lifeMs });
}

async function stopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new LoginFailure("the answer was stopped", { kind: "aborted" }));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
