import assert from "node:assert/strict";
import { it } from "node:test";
import { LoopbackServer } from "@talaria/testkit";
import { askJson, errorCode } from "./ask-json.ts";

const never = new AbortController().signal;

async function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const server = await LoopbackServer.listen((_, response) => {
    response.writeHead(status, headers).end(body);
  });
  return { url: new URL(server.url), [Symbol.asyncDispose]: () => server.stop() };
}

it("takes a service that gives tokens at its word, and follows it nowhere", async () => {
  await using moved = await answering(302, "", { location: "https://elsewhere.example/" });
  await assert.rejects(askJson(moved.url, {}, never), { kind: "network", message: /cannot be reached for a token$/ });
  await using endless = await answering(200, "x".repeat(1_100_000));
  await assert.rejects(askJson(endless.url, {}, never), { kind: "network", message: /above 1 MiB/ });
  await using page = await answering(502, "<html>");
  assert.deepEqual(await askJson(page.url, {}, never), { status: 502, body: {} });
  await using list = await answering(200, "null");
  assert.deepEqual((await askJson(list.url, {}, never)).body, {});
});

it("is stopped with the turn", async () => {
  await using page = await answering(200, "{}");
  await assert.rejects(askJson(page.url, {}, AbortSignal.abort()), { kind: "aborted" });
});

it("repeats codes of errors alone", () => {
  const cases: readonly (readonly [body: object, told: string])[] = [
    [{ error: "invalid_grant" }, "invalid_grant"],
    [{ error: { code: "refresh_token_reused", message: "token abc" } }, "refresh_token_reused"],
    [{ error: "the token abc is wrong" }, "status 400"],
    [{ error: { message: "abc" } }, "status 400"],
    [{}, "status 400"],
  ];
  for (const [body, told] of cases) assert.equal(errorCode({ status: 400, body: { ...body } }), told);
});
