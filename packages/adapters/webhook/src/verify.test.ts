import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import type { WebhookConfig } from "./config.ts";
import { bytesOf, hexOf, nowMs, nowSeconds, plainSecret, routeWith, secretOf } from "./testing/routes.ts";
import { verify } from "./verify.ts";

const body = '{"text":"höi"}';
const hex = hexOf(body);
const whsec = `whsec_${randomBytes(24).toString("base64")}`;

function isProven(headers: Record<string, string>, config: WebhookConfig, sent = body, at = nowMs): boolean {
  return verify({ headers: new Headers(headers), body: bytesOf(sent), nowMs: at }, config);
}

/** What an independent library sends. */
function standard(secret: string, at = nowSeconds, id = "msg_1"): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(at * 1000), body);
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
}

/** Every way to get a hexadecimal signature wrong. */
const wrongHex: Readonly<Record<string, string>> = {
  empty: "",
  "of another body": hexOf(`${body} `),
  "by another secret": hexOf(body, "another secret of enough bytes"),
  "by an empty secret": hexOf(body, ""),
  truncated: hex.slice(0, -1),
  "with more behind it": `${hex}0`,
  "in capitals": hex.toUpperCase(),
  "in base64": Buffer.from(hex, "hex").toString("base64"),
  "by SHA-1": createHmac("sha1", plainSecret).update(body).digest("hex"),
  "given twice": `${hex}, ${hex}`,
};

describe("a GitHub signature", () => {
  const config = routeWith({ scheme: "github" });
  const proven = (value: string) => isProven({ "x-hub-signature-256": value }, config);

  it("proves the body", () => assert.equal(proven(`sha256=${hex}`), true));

  it("needs its prefix and its own header", () => {
    assert.equal(proven(hex), false);
    assert.equal(proven(`sha1=${hex}`), false);
    assert.equal(isProven({ "x-hub-signature": `sha256=${hex}` }, config), false);
    assert.equal(isProven({}, config), false);
  });

  for (const [how, value] of Object.entries(wrongHex))
    it(`proves nothing when it is ${how}`, () => assert.equal(proven(`sha256=${value}`), false));

  it("matches the example of GitHub's own documentation", () => {
    const example = routeWith({ scheme: "github", secrets: [secretOf("It's a Secret to Everybody")] });
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert.equal(isProven({ "x-hub-signature-256": signature }, example, "Hello, World!"), true);
  });
});

describe("a plain HMAC signature", () => {
  const config = routeWith({ scheme: "hmac" });

  it("proves the body with and without sha256= in front", () => {
    assert.equal(isProven({ "x-signature-256": hex }, config), true);
    assert.equal(isProven({ "x-signature-256": `sha256=${hex}` }, config), true);
  });

  it("is read from the header that the route names, and only there", () => {
    const named = routeWith({ scheme: "hmac", header: "x-build-signature" });
    assert.equal(isProven({ "x-build-signature": hex }, named), true);
    assert.equal(isProven({ "x-signature-256": hex }, named), false);
  });

  for (const [how, value] of Object.entries(wrongHex))
    it(`proves nothing when it is ${how}`, () => assert.equal(isProven({ "x-signature-256": value }, config), false));
});

describe("a token", () => {
  const config = routeWith({ scheme: "token" });
  const proven = (value: string) => isProven({ "x-webhook-token": value }, config);

  it("proves the request, bare or as a bearer", () => {
    assert.equal(proven(plainSecret), true);
    const named = routeWith({ scheme: "token", header: "authorization" });
    assert.equal(isProven({ authorization: `Bearer ${plainSecret}` }, named), true);
    assert.equal(isProven({ "x-webhook-token": plainSecret }, named), false);
  });

  for (const wrong of [
    "",
    "Bearer",
    "Bearer ",
    plainSecret.slice(1),
    `${plainSecret}x`,
    plainSecret.toUpperCase(),
    "***",
  ])
    it(`proves nothing as ${JSON.stringify(wrong)}`, () => assert.equal(proven(wrong), false));

  it("proves nothing when it is missing", () => assert.equal(isProven({}, config), false));
});

describe("a GitLab request", () => {
  const config = routeWith({ scheme: "gitlab", secrets: [secretOf(plainSecret), secretOf(whsec)] });

  it("is proven by its secret token", () => {
    assert.equal(isProven({ "x-gitlab-token": plainSecret }, config), true);
    assert.equal(isProven({ "x-gitlab-token": `${plainSecret} ` }, routeWith({ scheme: "gitlab" })), true, "trimmed");
    for (const wrong of ["", plainSecret.slice(0, -1), `Bearer ${plainSecret}`])
      assert.equal(isProven({ "x-gitlab-token": wrong }, config), false);
    assert.equal(isProven({}, config), false);
  });

  it("is proven by its signature", () => assert.equal(isProven(standard(whsec), config), true));

  it("with a wrong signature is not saved by a right token", () => {
    const headers = { ...standard(whsec), "x-gitlab-token": plainSecret };
    assert.equal(isProven({ ...headers, "webhook-signature": "v1,AAAA" }, config), false);
    assert.equal(isProven(headers, config, `${body} `), false);
  });
});

describe("a signature of Standard Webhooks", () => {
  const config = routeWith({ scheme: "standard", secrets: [secretOf(whsec)] });
  const right = standard(whsec);
  const signature = right["webhook-signature"]!;

  it("proves what an independent library signed", () => assert.equal(isProven(right, config), true));

  it("works with a secret without whsec_, as text and as base64", () => {
    const base64 = randomBytes(24).toString("base64");
    const bare = routeWith({ scheme: "standard", secrets: [secretOf(base64)] });
    assert.equal(isProven(standard(base64), bare), true);
    const raw = new Webhook(base64, { format: "raw" }).sign("msg_1", new Date(nowMs), body);
    assert.equal(isProven({ ...standard(base64), "webhook-signature": raw }, bare), true);
  });

  it("may stand among others", () => {
    for (const header of [`v1,AAAA ${signature}`, `v1a,${signature.slice(3)} ${signature}`, `  ${signature}`])
      assert.equal(isProven({ ...right, "webhook-signature": header }, config), true, header);
    const many = `${"v1,AAAA ".repeat(16)}${signature}`;
    assert.equal(isProven({ ...right, "webhook-signature": many }, config), false, "the header is not endless");
  });

  const urlSafe = signature.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  for (const wrong of ["", signature.slice(3), `v2,${signature.slice(3)}`, urlSafe, signature.toUpperCase(), "v1,"])
    it(`proves nothing as ${wrong.slice(0, 6) || "nothing"}…`, () =>
      assert.equal(isProven({ ...right, "webhook-signature": wrong }, config), false));

  it("is read from Svix's headers where there is none of the standard's", () => {
    const svix = new Svix(whsec).sign("msg_1", new Date(nowSeconds * 1000), body);
    const sent = { "svix-id": "msg_1", "svix-timestamp": String(nowSeconds), "svix-signature": svix };
    assert.equal(isProven(sent, config), true);
    assert.equal(isProven({ ...sent, "svix-id": "msg_2" }, config), false);
    assert.equal(isProven({ ...sent, "webhook-id": "msg_1" }, config), false, "the two sets don't mix");
    assert.equal(isProven(sent, routeWith({ scheme: "gitlab", secrets: [secretOf(whsec)] })), false);
  });

  it("covers id, time and body", () => {
    assert.equal(isProven({ ...right, "webhook-id": "msg_2" }, config), false);
    assert.equal(isProven({ ...right, "webhook-timestamp": String(nowSeconds + 1) }, config), false);
    assert.equal(isProven(right, config, `${body} `), false);
    const { "webhook-id": _id, ...withoutId } = right;
    assert.equal(isProven(withoutId, config), false);
  });

  it("holds for five minutes, both ways", () => {
    for (const seconds of [-300, 300]) assert.equal(isProven(standard(whsec, nowSeconds + seconds), config), true);
    for (const seconds of [-301, 301]) assert.equal(isProven(standard(whsec, nowSeconds + seconds), config), false);
  });

  it("needs a time in whole seconds, whatever else is signed", () => {
    const times = ["", "NaN", "-1", String(2 ** 53), String(nowMs), `${nowSeconds}.0`, "1e9", "0x6955b900", "Infinity"];
    for (const time of times) {
      const key = Buffer.from(whsec.slice(6), "base64");
      const signed = createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64");
      const headers = { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": `v1,${signed}` };
      assert.equal(isProven(headers, config), false, time);
    }
  });
});

describe("a secret that is being rotated", () => {
  const next = `whsec_${randomBytes(24).toString("base64")}`;
  const both = { ...standard(whsec) };
  both["webhook-signature"] += ` ${standard(next)["webhook-signature"]}`;

  it("is accepted beside the next one, and refused once it is gone", () => {
    const during = routeWith({ scheme: "standard", secrets: [secretOf(whsec), secretOf(next)] });
    const after = routeWith({ scheme: "standard", secrets: [secretOf(next)] });
    for (const headers of [standard(whsec), standard(next), both]) assert.equal(isProven(headers, during), true);
    assert.equal(isProven(standard(whsec), after), false);
    assert.equal(isProven(standard(next), after), true);
    assert.equal(isProven(both, after), true);
  });

  it("is read again for each request", () => {
    const secrets = [secretOf(plainSecret)];
    const config = routeWith({ scheme: "github", secrets });
    const headers = { "x-hub-signature-256": `sha256=${hex}` };
    assert.equal(isProven(headers, config), true);
    secrets[0] = secretOf("the next one, long enough");
    assert.equal(isProven(headers, config), false);
  });
});
