import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startDialectServer, wireCalls, words } from "@talaria/testkit";
import { createModel, proveModel } from "../index.ts";
import { answerOf, deps } from "../model.fixture.ts";
import type { AwsCredentials } from "../model-config.ts";

const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const user = { region: "eu-central-1", accessKeyId: "AKIDEXAMPLE", secretAccessKey: secret };
const role = { ...user, accessKeyId: "ASIAEXAMPLE", sessionToken: "IQoJb3JpZ2luX2VjEXAMPLE//+==" };
/** With a sign that is encoded twice in what is signed. */
const name = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";

describe("a model of Bedrock with the credentials of AWS", () => {
  const start = (signedWith: typeof user) => startDialectServer({ dialect: "bedrock", apiKeys: [], signedWith });
  const modelAt = (url: string, aws: AwsCredentials) =>
    createModel({ provider: "bedrock", baseUrl: url, model: name, aws }, deps);

  for (const [who, credentials] of Object.entries({ user, role }))
    it(`signs each request, as a ${who}`, async () => {
      await using server = await start(credentials);
      const rounds = [wireCalls(["word_of_the_day", {}]), words("heliotrope ü")];
      server.respond = () => rounds.shift() ?? words("never");
      const hidden = { ...credentials, secretAccessKey: { reveal: () => secret } };
      const proof = await proveModel(modelAt(server.url, hidden), AbortSignal.timeout(120_000));
      assert.deepEqual(proof, { servedBy: name, answer: "heliotrope ü" });
      assert.deepEqual(server.flaws, []);
      assert.equal(server.requests.length, 2);
    });

  it("is told apart when its credentials are wrong, and shows none of them", async () => {
    await using server = await start(role);
    const wrong: readonly AwsCredentials[] = [
      { ...role, secretAccessKey: `${secret}x` },
      { ...role, accessKeyId: "AKIDOTHER" },
      { ...role, sessionToken: undefined },
      { ...role, region: "us-east-1" },
    ];
    for (const aws of wrong) {
      const { end } = await answerOf(modelAt(server.url, aws));
      assert.equal(end.type === "failed" && end.error.kind, "auth");
      for (const text of [secret, role.sessionToken]) assert.ok(!JSON.stringify(end).includes(text));
    }
    assert.equal(server.flaws.length, wrong.length);
    assert.equal(server.requests.length, 0);
  });
});
