import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RawRequest } from "../../support/raw-http.ts";
import { hexOf, pushSecret, secrets } from "./setting.ts";

/** A request that starts nothing, and what its sender is told. */
export interface HttpRow {
  readonly id: string;
  readonly what: string;
  readonly request: RawRequest;
  readonly status: number;
  readonly error: RegExp;
}

const body = JSON.stringify({ text: "bad" });
const unproven = { status: 401, error: /^the signature is missing, wrong or too old$/ };
const unknown = { status: 404, error: /^no such route$/ };
const right = `sha256=${hexOf(body)}`;

function github(id: string, what: string, signature: string | undefined, header = "x-hub-signature-256"): HttpRow {
  const headers = { "x-github-delivery": what, ...(signature === undefined ? {} : { [header]: signature }) };
  return { id, what, request: { path: "/webhooks/gh", headers, body }, ...unproven };
}

function standard(what: string, timestamp: string): HttpRow {
  const key = Buffer.from(secrets.standard.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`b03.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": "b03", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  return { id: "B03", what, request: { path: "/webhooks/std", headers, body }, ...unproven };
}

function path(what: string, given: string): HttpRow {
  const headers = { "x-github-delivery": what, "x-hub-signature-256": right };
  return { id: "B13", what, request: { path: given, headers, body }, ...unknown };
}

function content(what: string, sent: string | Uint8Array, error: RegExp, headers = {}): HttpRow {
  const own = { "x-webhook-token": secrets.ours, "x-request-id": what, "content-type": "application/json", ...headers };
  return { id: "B15", what, request: { path: "/webhooks/tok", headers: own, body: sent }, status: 400, error };
}

const seconds = Math.floor(Date.now() / 1000);
const update = JSON.stringify({
  update_id: 1,
  message: { message_id: 1, date: 1, chat: { id: 12_345, type: "private" } },
});

export const webhookRows: readonly HttpRow[] = [
  github("B01", "no signature", undefined),
  github("B01", "an empty signature", ""),
  github("B01", "a signature of another body", `sha256=${hexOf(`${body} `)}`),
  github("B01", "a signature with another secret", `sha256=${hexOf(body, secrets.theirs)}`),
  github("B01", "a truncated signature", right.slice(0, -2)),
  github("B01", "a signature with more behind it", `${right}00`),
  github("B01", "an upper-case signature", `sha256=${hexOf(body).toUpperCase()}`),
  github("B01", "a base64 signature", `sha256=${createHmac("sha256", secrets.ours).update(body).digest("base64")}`),
  github("B01", "the algorithm of old", `sha1=${hexOf(body, secrets.ours, "sha1")}`, "x-hub-signature"),
  github("B01", "SHA-1 under the name of SHA-256", `sha256=${hexOf(body, secrets.ours, "sha1")}`),
  github("B01", "no algorithm before the signature", hexOf(body)),
  standard("a time 301 s ago", String(seconds - 301)),
  standard("a time in 900 s", String(seconds + 900)),
  standard("a time that is no number", "NaN"),
  standard("a negative time", String(-seconds)),
  standard("a time beyond all numbers", "9007199254740993000"),
  standard("milliseconds for seconds", String(seconds * 1000)),
  {
    id: "B08",
    what: "nothing that could tell a replay",
    request: { path: "/webhooks/hm", headers: { "x-signature-256": hexOf(body) }, body },
    status: 400,
    error: /a replay could not be recognised: send .*webhook-id/,
  },
  {
    id: "B10",
    what: "a body above the limit, before its signature is looked at",
    request: { path: "/webhooks/gh", body: "x".repeat(60_000) },
    status: 413,
    error: /longer than 50000 bytes/,
  },
  path("an escaped way up", "/api/%2e%2e/webhooks/gh"),
  path("a way up", "/webhooks/../webhooks/gh"),
  path("two slashes", "//webhooks/gh"),
  path("two slashes within", "/webhooks//gh"),
  path("an escaped slash", "/webhooks%2Fgh"),
  path("a parameter after a semicolon", "/webhooks/gh;x=1"),
  path("capital letters", "/WEBHOOKS/gh"),
  path("capital letters in the name", "/webhooks/GH"),
  path("a slash at the end", "/webhooks/gh/"),
  path("a dot at the end", "/webhooks/gh."),
  path("a route that was left out", "/webhooks/b02d"),
  path("the name of an account", "/platforms/guarded"),
  {
    id: "B14",
    what: "an event signed with another route's secret",
    request: { path: "/webhooks/foreign", headers: { "x-github-delivery": "b14", "x-hub-signature-256": right }, body },
    ...unproven,
  },
  content("broken JSON", '{"text": "bad"', /not valid JSON/),
  content("JSON with a number that is none", '{"text": NaN}', /not valid JSON/),
  content("a key that would change all objects", '{"__proto__":{"polluted":"yes"}}', /a key named __proto__/),
  content("100,000 levels", "[".repeat(100_000), /nested deeper than 100/),
  content("bytes that are no text", Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), /not valid UTF-8/),
  content("a packed body", gzipSync(body), /compressed/, { "content-encoding": "gzip" }),
  {
    id: "B16",
    what: "a secret that was taken back",
    request: {
      path: "/webhooks/rotated",
      headers: { "x-request-id": "b16", "x-signature-256": hexOf(body, secrets.revoked) },
      body,
    },
    ...unproven,
  },
  {
    id: "B17",
    what: "the right token in lower case",
    request: {
      path: "/webhooks/tok",
      headers: { "x-request-id": "b17", "x-webhook-token": secrets.ours.toLowerCase() },
      body,
    },
    ...unproven,
  },
  {
    id: "B19",
    what: "a Telegram update without the secret",
    request: { path: "/platforms/pushed", body: update },
    status: 401,
    error: /secret token is missing or wrong/,
  },
  {
    id: "B19",
    what: "a Telegram update with another bot's secret",
    request: {
      path: "/platforms/pushed",
      headers: { "x-telegram-bot-api-secret-token": pushSecret.toUpperCase() },
      body: update,
    },
    status: 401,
    error: /secret token is missing or wrong/,
  },
  {
    id: "B19",
    what: "something proven that is no update",
    request: { path: "/platforms/pushed", headers: { "x-telegram-bot-api-secret-token": pushSecret }, body: "[1]" },
    status: 400,
    error: /not an update/,
  },
];
