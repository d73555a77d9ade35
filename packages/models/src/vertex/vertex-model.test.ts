import assert from "node:assert/strict";
import { it } from "node:test";
import { LoopbackServer, startDialectServer } from "@talaria/testkit";
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
