import { createSign } from "node:crypto";
import type { Clock } from "@talaria/protocol";
import { askJson, errorCode, form, type JsonAnswer } from "../logins/ask-json.ts";
import { LoginFailure } from "../logins/login-failure.ts";
import type { TokenSource } from "../logins/token-model.ts";
import { type GoogleCredentials, readCredentials } from "./google-credentials.ts";
import type { VertexSettings } from "./vertex-config.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
/** The metadata server gives out a token until five minutes before its end, then a new one. */
const renewBeforeMs = 4 * 60_000;
const assertionSeconds = 3_600;
const googleMetadata = "http://metadata.google.internal";
/** https://cloud.google.com/compute/docs/access/authenticate-workloads#applications */
const metadataPath = "/computeMetadata/v1/instance/service-accounts/default/token";

interface GoogleToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Access tokens for Google Cloud, kept by this process until shortly before their end. Any number may be valid at once. */
export function createGoogleTokens(settings: VertexSettings, clock: Clock): TokenSource {
  let known: GoogleToken | undefined;
  let asking: Promise<GoogleToken> | undefined;

  const isGood = (refused: string | undefined) =>
    known !== undefined && known.token !== refused && known.expiresAt - renewBeforeMs > clock.elapsed();

  return {
    async token(signal, refused) {
      if (known !== undefined && isGood(refused)) return known.token;
      asking ??= ask(settings, clock).finally(() => {
        asking = undefined;
      });
      const now = await asking;
      known = now;
      if (signal.aborted) throw new LoginFailure("the answer was stopped", { kind: "aborted" });
      return now.token;
    },
  };
}

async function ask({ credentials, metadataUrl }: VertexSettings, clock: Clock): Promise<GoogleToken> {
  const { signal } = new AbortController();
  if (credentials === undefined) {
    const url = new URL(metadataPath, metadataUrl ?? googleMetadata);
    const answer = await askJson(url, { headers: { "metadata-flavor": "Google" } }, signal).catch((error: unknown) => {
      throw new LoginFailure("this is no machine of Google Cloud, so set vertex.credentials", {
        kind: "auth",
        cause: error,
      });
    });
    return tokenIn(answer, clock, "the metadata server of this machine gives no token");
  }
  const found = readCredentials(credentials);
  const answer = await askJson(new URL(found.tokenUrl), form(grantOf(found, clock)), signal);
  return tokenIn(answer, clock, "Google does not take vertex.credentials");
}

/** RFC 7523 for service accounts, RFC 6749, 6 for users. */
function grantOf(credentials: GoogleCredentials, clock: Clock): Readonly<Record<string, string>> {
  switch (credentials.kind) {
    case "service account": {
      const assertion = assertionOf(credentials, Math.floor(clock.now() / 1_000));
      return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
    }
    case "user": {
      const { clientId, clientSecret, refreshToken } = credentials;
      const client = { client_id: clientId, client_secret: clientSecret };
      return { grant_type: "refresh_token", refresh_token: refreshToken, ...client };
    }
    default:
      return credentials satisfies never;
  }
}

function assertionOf(
  { email, privateKey, keyId, tokenUrl }: Extract<GoogleCredentials, { readonly kind: "service account" }>,
  issuedAt: number,
): string {
  const header = { alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) };
  const claims = { iss: email, scope, aud: tokenUrl, iat: issuedAt, exp: issuedAt + assertionSeconds };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  try {
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey, "base64url")}`;
  } catch (cause) {
    throw new LoginFailure("vertex.credentials has a private_key that cannot sign: download a new key", {
      kind: "auth",
      cause,
    });
  }
}

function tokenIn(answer: JsonAnswer, clock: Clock, refusal: string): GoogleToken {
  const { access_token: token, expires_in: seconds } = answer.body;
  if (answer.status === 200 && typeof token === "string" && typeof seconds === "number")
    return { token, expiresAt: clock.elapsed() + seconds * 1_000 };
  const isPassing = answer.status >= 500 || answer.status === 429;
  const remedy = isPassing ? "" : ": make a new key, or log in again with gcloud";
  throw new LoginFailure(`${refusal} (${errorCode(answer)})${remedy}`, { kind: isPassing ? "overloaded" : "auth" });
}
