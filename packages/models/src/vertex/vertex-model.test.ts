import assert from "node:assert/strict";
import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { LoopbackServer, startDialectServer } from "@talaria/testkit";
import { startWire } from "../dialect/wire.fixture.ts";
import { startDialectPeer, tokenDialectCases } from "../dialects.fixture.ts";
import { createModel } from "../index.ts";
import { answerOf, deps } from "../model.fixture.ts";
import { publisherUrl, vertexHost } from "./vertex-config.ts";

it("asks in the project and the place that are configured", async () => {
  const hosts = [undefined, "eu", "us-east5"].map((location) => vertexHost({ project: "p", location }));
  assert.deepEqual(hosts, [
    "aiplatform.googleapis.com",
    "aiplatform.eu.rep.googleapis.com",
    "us-east5-aiplatform.googleapis.com",
  ]);
  const url = publisherUrl({ vertex: { project: "my-project" } }, "v1beta1", "google");
  assert.equal(url, "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google");
});

for (const [dialect, model] of [
  ["vertex", "gemini-3-pro-preview"],
  ["anthropic-on-vertex", "claude-opus-5@20260101"],
] as const)
  it(`asks once more with a new token when the old one is not taken: ${model}`, async () => {
    let given = 0;
    const taken = ["ya29.1"];
    await using server = await startDialectServer({ dialect, apiKeys: taken });
    const metadata = await LoopbackServer.listen((_, response) => {
      given += 1;
      response.end(JSON.stringify({ access_token: `ya29.${given}`, expires_in: 3_600 }));
    });
    try {
      const vertex = { project: "my-project", location: "eu", metadataUrl: metadata.url };
      const port = createModel({ provider: "vertex", model, baseUrl: server.url, vertex }, deps);
      const { end } = await answerOf(port);
      assert.equal(end.type === "done" && end.servedBy, model);
      taken.splice(0, 1, "ya29.2");
      assert.equal((await answerOf(port)).end.type, "done");
      assert.equal(given, 2);
      taken.length = 0;
      const { end: refused } = await answerOf(port);
      assert.equal(refused.type === "failed" && refused.error.kind, "auth");
      assert.ok(!JSON.stringify(refused).includes("ya29"));
      const [first] = server.requests;
      assert.match(first?.path ?? "", /^\/v1(beta1)?\/projects\/my-project\/locations\/eu\/publishers\//);
      assert.deepEqual(server.flaws, []);
    } finally {
      await metadata.stop();
    }
  });

it("says what stands in place of an answer with status 200", async () => {
  const error = { code: 429, message: "Quota exceeded for this minute", status: "RESOURCE_EXHAUSTED" };
  const refusal = { kind: "raw", status: 200, contentType: "application/json" } as const;
  for (const dialectCase of tokenDialectCases.filter(({ dialect }) => dialect.endsWith("vertex"))) {
    const respond = () => [{ ...refusal, pieces: [JSON.stringify([{ error }])] }];
    await using peer = await startDialectPeer(dialectCase, { respond });
    const { end } = await answerOf(peer.model);
    assert.equal(end.type === "failed" && end.error.kind, "rate_limit", dialectCase.dialect);
  }
});

it("hears comments as signs of life", async () => {
  const quietMs = 1_000;
  await import("@ai-sdk/google/internal");
  await using server = await startWire(async (response) => {
    for (let sign = 0; sign < 8; sign += 1) {
      response.write(": keepalive\n\n");
      await systemClock.sleep(quietMs / 4);
    }
    response.end('data: {"candidates":[{"content":{"parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}]}\n\n');
  });
  const metadata = await LoopbackServer.listen((_, response) => {
    response.end(JSON.stringify({ access_token: "ya29.1", expires_in: 3_600 }));
  });
  try {
    const vertex = { project: "p", metadataUrl: metadata.url };
    const limits = { firstChunkMs: quietMs, idleMs: quietMs };
    const entry = {
      provider: "vertex",
      model: "gemini-3-pro-preview",
      baseUrl: server.url,
      vertex,
      ...limits,
    } as const;
    assert.equal((await answerOf(createModel(entry, deps))).text, "ok");
  } finally {
    await metadata.stop();
  }
});
