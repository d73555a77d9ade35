import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { it } from "node:test";
import { LoopbackServer } from "@talaria/testkit";
import { testClock } from "../model.fixture.ts";
import { createGoogleTokens } from "./google-tokens.ts";

const signal = new AbortController().signal;
const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const email = "talaria@some-project.iam.gserviceaccount.com";

/**
 * Google's token endpoint and metadata server, as strict as
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest, RFC 6749, 6 and
 * https://cloud.google.com/compute/docs/access/authenticate-workloads#applications.
 */
async function startGoogle(nowMs: () => number) {
  const seen: string[] = [];
  let outage: readonly [status: number, body: object] | undefined;
  const server = await LoopbackServer.listen(async (request, response) => {
    let text = "";
    for await (const piece of request) text += String(piece);
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const fields = Object.fromEntries(new URLSearchParams(text));
    const kind = kindOf(`${request.method} ${request.url}`, fields, request.headers["metadata-flavor"]);
    if (kind === undefined) return answer(400, { error: "invalid_grant", error_description: "canary" });
    seen.push(kind);
    if (outage !== undefined) return answer(...outage);
    return answer(200, { access_token: `ya29.${kind}-${seen.length}`, expires_in: 3_599, token_type: "Bearer" });
  });
  const tokenUrl = `${server.url}/token`;

  function kindOf(route: string, fields: Record<string, string | undefined>, flavor: unknown): string | undefined {
    if (route === "GET /computeMetadata/v1/instance/service-accounts/default/token")
      return flavor === "Google" ? "machine" : undefined;
    if (route !== "POST /token") return undefined;
    if (fields.grant_type === "refresh_token") {
      const isKnown =
        fields.refresh_token === "1//refresh" && fields.client_id === "client.apps" && fields.client_secret === "shh";
      return isKnown ? "user" : undefined;
    }
    const isBearer = fields.grant_type === "urn:ietf:params:oauth:grant-type:jwt-bearer";
    return isBearer && isSigned(fields.assertion ?? "") ? "account" : undefined;
  }

  function isSigned(assertion: string): boolean {
    const [head = "", body = "", signature = ""] = assertion.split(".");
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
    const [header, claims] = [read(head), read(body)];
    const now = nowMs() / 1_000;
    return (
      header.alg === "RS256" &&
      header.typ === "JWT" &&
      claims.iss === email &&
      claims.aud === tokenUrl &&
      claims.scope === "https://www.googleapis.com/auth/cloud-platform" &&
      Number(claims.iat) <= now &&
      Number(claims.exp) > now &&
      Number(claims.exp) - Number(claims.iat) <= 3_600 &&
      verify("sha256", Buffer.from(`${head}.${body}`), createPublicKey(publicKey), Buffer.from(signature, "base64url"))
    );
  }

  return {
    seen,
    url: server.url,
    tokenUrl,
    fail: (status: number | undefined, body: object = {}) => {
      outage = status === undefined ? undefined : [status, body];
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

const account = (token_uri: string, more: object = {}) =>
  JSON.stringify({
    type: "service_account",
    client_email: email,
    private_key: privateKey,
    private_key_id: "1",
    token_uri,
    ...more,
  });
const user = (token_uri: string, more: object = {}) =>
  JSON.stringify({
    ...{ type: "authorized_user", client_id: "client.apps", client_secret: "shh", refresh_token: "1//refresh" },
    ...{ token_uri, ...more },
  });

it("gets tokens for a service account, for a user and for a machine, and keeps them until shortly before their end", async () => {
  const clock = testClock();
  await using google = await startGoogle(clock.now);
  for (const [kind, settings] of [
    ["account", { credentials: account(google.tokenUrl) }],
    ["user", { credentials: { reveal: () => user(google.tokenUrl) } }],
    ["machine", { metadataUrl: google.url }],
  ] as const) {
    const before = google.seen.length;
    const tokens = createGoogleTokens({ project: "p", ...settings }, clock);
    const [first, same] = await Promise.all([tokens.token(signal), tokens.token(signal)]);
    assert.equal(first, same, "asked once for both");
    clock.nowMs += 54 * 60_000;
    assert.equal(await tokens.token(signal), first);
    clock.nowMs += 2 * 60_000;
    assert.notEqual(await tokens.token(signal), first);
    await tokens.token(signal, `ya29.${kind}-${google.seen.length}`);
    assert.deepEqual(google.seen.slice(before), [kind, kind, kind]);
  }
});

it("says what is wrong with credentials, and nothing of what they hold", async () => {
  const clock = testClock();
  await using google = await startGoogle(clock.now);
  const cases: readonly (readonly [credentials: string, reason: RegExp])[] = [
    ["canary", /is not a JSON object/],
    [
      '{"type":"external_account","secret":"canary"}',
      /is neither of a service account nor of a user: use the JSON key/,
    ],
    [account(google.tokenUrl, { client_email: "" }), /has no client_email/],
    [account(google.tokenUrl, { private_key: "canary" }), /private_key that cannot sign: download a new key/],
    [account("http://token.example/canary"), /token_uri that is neither https nor on this machine/],
    [
      user(google.tokenUrl, { refresh_token: "canary" }),
      /does not take vertex\.credentials \(invalid_grant\): make a new key, or log in/,
    ],
  ];
  for (const [credentials, reason] of cases)
    await assert.rejects(createGoogleTokens({ project: "p", credentials }, clock).token(signal), (error: Error) => {
      assert.match(error.message, reason);
      return !error.message.includes("canary") && (error as { kind?: string }).kind === "auth";
    });
});

it("calls trouble that passes by its name, and a machine elsewhere too", async () => {
  const clock = testClock();
  await using google = await startGoogle(clock.now);
  const tokens = createGoogleTokens({ project: "p", credentials: user(google.tokenUrl) }, clock);
  google.fail(503);
  await assert.rejects(tokens.token(signal), { kind: "overloaded", message: /\(status 503\)$/ });
  google.fail(200, { access_token: 5 });
  await assert.rejects(tokens.token(signal), { kind: "auth" });
  google.fail(undefined);
  assert.match(await tokens.token(signal), /^ya29/);
  await google[Symbol.asyncDispose]();
  const nowhere = createGoogleTokens({ project: "p", metadataUrl: google.url }, clock);
  await assert.rejects(nowhere.token(signal), {
    kind: "auth",
    message: /no machine of Google Cloud.*set vertex\.credentials/,
  });
});
