import assert from "node:assert/strict";
import { it } from "node:test";
import { startDialectServer } from "@talaria/testkit";
import { ofModel } from "./of-model.ts";

const apiKey = "sk-0123456789abcdef";
const secret = { path: "/data/secrets/model-main-apiKey", secret: "model-main-apiKey" };
const elsewhere = { path: "/run/secrets/key" };

async function found(status: number, keyFiles: readonly { path: string; secret?: string }[] = []) {
  await using server = await startDialectServer({
    dialect: "openai-chat",
    apiKeys: [apiKey],
    respond: () => [{ kind: "raw" as const, status, contentType: "application/json", pieces: ["{}"] }],
  });
  const main = { provider: "openai-chat", baseUrl: `${server.url}/v1`, model: "m", apiKey };
  const config = { agent: { model: "main" }, models: { main } } as never;
  const [finding] = await ofModel(config, undefined, { main: keyFiles });
  return finding;
}

it("a key that is refused is mended where it stands", async () => {
  assert.equal((await found(401, [secret]))?.remedy, "talaria secret set model-main-apiKey");
  assert.equal((await found(401))?.remedy, "talaria setup model --name main");
  const several = await found(401, [secret, elsewhere]);
  assert.equal(several?.remedy, undefined);
  assert.match(several?.line ?? "", /there with `talaria secret set model-main-apiKey` or into \/run\/secrets\/key$/);
});

it("an account without credit needs credit, and no other entry", async () => {
  const finding = await found(402, [secret]);
  assert.deepEqual([finding?.state, finding?.remedy], ["problem", undefined]);
  assert.match(finding?.line ?? "", /^main: .*: add credit on the provider's page/);
});
