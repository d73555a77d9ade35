import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { LoginFailure } from "./login-failure.ts";

/** What an ID token has to say. `now` in milliseconds since 1970. */
export interface IdFacts {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly now: number;
}

const leewaySeconds = 120;

/**
 * The subject of an ID token that the issuer signed for this login: OpenID Connect Core 1.0, 3.1.3.7. Throws a `LoginFailure` for
 * any other, without a word of it.
 */
export function subjectOf(token: string, keys: readonly unknown[], facts: IdFacts): string {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  const [header, claims] = [objectIn(head), objectIn(body)];
  const isSigned =
    more.length === 0 && keysFor(header, keys).some((key) => hasSigned(key, header.alg, { head, body, signature }));
  if (!isSigned) throw refusal("its signature is not the issuer's");
  if (claims.iss !== facts.issuer) throw refusal("it is another issuer's");
  if (![claims.aud].flat().includes(facts.clientId)) throw refusal("it is for another client");
  if (claims.nonce !== facts.nonce) throw refusal("it belongs to another login");
  if (typeof claims.exp !== "number" || (claims.exp + leewaySeconds) * 1_000 <= facts.now)
    throw refusal("it has expired");
  if (typeof claims.sub !== "string" || claims.sub === "") throw refusal("it names nobody");
  return claims.sub;
}

function refusal(reason: string): LoginFailure {
  return new LoginFailure(`the ID token of this login cannot be trusted: ${reason}`, { kind: "auth" });
}

interface Jwk extends JsonWebKey {
  readonly kid?: unknown;
  readonly use?: unknown;
}

function keysFor(header: Readonly<Record<string, unknown>>, keys: readonly unknown[]): readonly Jwk[] {
  const known = keys.filter((key): key is Jwk => key !== null && typeof key === "object");
  const signing = known.filter(({ use }) => use === undefined || use === "sig");
  return header.kid === undefined ? signing : signing.filter(({ kid }) => kid === header.kid);
}

/** The algorithm is fixed by the kind of key, so that no token chooses its own. */
function hasSigned(key: Jwk, alg: unknown, token: { head: string; body: string; signature: string }): boolean {
  const isRsa = key.kty === "RSA" && alg === "RS256";
  const isEc = key.kty === "EC" && key.crv === "P-256" && alg === "ES256";
  if (!isRsa && !isEc) return false;
  try {
    const publicKey = createPublicKey({ key, format: "jwk" });
    const signed = Buffer.from(`${token.head}.${token.body}`);
    return verify(
      "sha256",
      signed,
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(token.signature, "base64url"),
    );
  } catch {
    return false;
  }
}

function objectIn(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
