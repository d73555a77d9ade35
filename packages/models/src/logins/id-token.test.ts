import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { it } from "node:test";
import { type IdFacts, subjectOf } from "./id-token.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = (key: KeyObject, more: object) => ({ ...key.export({ format: "jwk" }), ...more });
const keys = [jwk(rsa.publicKey, { kid: "r", use: "sig" }), jwk(ec.publicKey, { kid: "e" })];
const facts: IdFacts = { issuer: "https://issuer.example", clientId: "oaiapp_1", nonce: "n", now: 1_000_000_000 };
const claims = { iss: facts.issuer, aud: facts.clientId, nonce: "n", sub: "ada", exp: 1_000_000 + 60 };

const text = (header: object, body: object) =>
  [header, body].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

function signed(
  header: { readonly alg: string; readonly kid?: string },
  body: object = claims,
  key?: KeyObject,
): string {
  const what = text(header, body);
  const own = header.alg === "ES256" ? ec.privateKey : rsa.privateKey;
  const made = sign("sha256", Buffer.from(what), { key: key ?? own, dsaEncoding: "ieee-p1363" });
  return `${what}.${made.toString("base64url")}`;
}

it("is somebody's when a key of the issuer has signed it", () => {
  assert.equal(subjectOf(signed({ alg: "RS256", kid: "r" }), keys, facts), "ada");
  assert.equal(subjectOf(signed({ alg: "ES256", kid: "e" }), keys, facts), "ada");
  assert.equal(subjectOf(signed({ alg: "RS256" }), [null, "x", ...keys], facts), "ada");
});

it("is nobody's when it was signed otherwise, or changed", () => {
  const other = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const [head, , signature] = signed({ alg: "RS256", kid: "r" }).split(".");
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: "mallory" })).toString("base64url");
  const shared = text({ alg: "HS256", kid: "r" }, claims);
  const pem = rsa.publicKey.export({ type: "spki", format: "pem" });
  for (const token of [
    "",
    "a.b.c",
    signed({ alg: "RS256", kid: "r" }, claims, other.privateKey),
    signed({ alg: "RS256", kid: "unknown" }),
    signed({ alg: "ES256", kid: "r" }),
    `${head}.${forged}.${signature}`,
    `${signed({ alg: "RS256", kid: "r" })}.more`,
    `${text({ alg: "none" }, claims)}.`,
    `${shared}.${createHmac("sha256", pem).update(shared).digest("base64url")}`,
  ])
    assert.throws(() => subjectOf(token, keys, facts), /signature is not the issuer's/);
  const encrypting = [jwk(rsa.publicKey, { kid: "r", use: "enc" })];
  assert.throws(() => subjectOf(signed({ alg: "RS256", kid: "r" }), encrypting, facts), /signature/);
});

it("may be a little late, as clocks differ", () => {
  const late = (seconds: number) => signed({ alg: "RS256" }, { ...claims, exp: 1_000_000 - seconds });
  assert.equal(subjectOf(late(100), keys, facts), "ada");
  assert.throws(() => subjectOf(late(200), keys, facts), /has expired/);
});
