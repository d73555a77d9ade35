import assert from "node:assert/strict";
import { it } from "node:test";
import { startDialectServer, type Trouble, wireCalls, words } from "@talaria/testkit";
import { proveNamed, type RemoteModel } from "./prove-named.ts";

const apiKey = "sk-0123456789abcdef";
const models = ["real-one", "real-two"];

it("says what works", async () => {
  const rounds = [wireCalls(["word_of_the_day", {}]), words("heliotrope")];
  await using server = await startDialectServer({
    dialect: "openai-chat",
    apiKeys: [apiKey],
    respond: () => rounds.shift() ?? [],
  });
  const lines: string[] = [];
  const entry: RemoteModel = { provider: "openai-chat", baseUrl: `${server.url}/v1`, model: "real-one", apiKey };
  await proveNamed({ name: "main", entry, say: (line) => lines.push(line) });
  assert.match(lines.at(-1) ?? "", /main works: real-one called the tool and answered: heliotrope/);
});

const refused = (why: Trouble) => [{ kind: "refuse" as const, why }];
const cases = [
  ["a key that is refused", { apiKey: "sk-wrong-wrong-wrong" }, undefined, /refuses the key.*models\.main\.apiKey/],
  ["an account without credit", {}, refused("quota"), /no credit left.*add credit/],
  [
    "402",
    {},
    [{ kind: "raw" as const, status: 402, contentType: "application/json", pieces: ["{}"] }],
    /no credit left/,
  ],
  ["too many requests", {}, refused("rate_limit"), /allows no more requests now.*wait a minute/],
  ["a server that fails", {}, refused("server"), /reports an error of its own.*status page/],
  ["a model that calls no tool", {}, words("I only talk"), /called no tool.*choose a model that can call tools/],
  [
    "a name that the server does not list",
    { model: "unreal" },
    refused("not_found"),
    /set models\.main\.model.*real-one, real-two/,
  ],
  [
    "nothing that answers",
    { baseUrl: "http://127.0.0.1:1/v1" },
    undefined,
    /nothing answers at its address.*models\.main\.baseUrl/,
  ],
] as const;
for (const [name, changes, answer, said] of cases)
  it(`says what is wrong with ${name}, and what mends it`, async () => {
    await using server = await startDialectServer({
      dialect: "openai-chat",
      apiKeys: [apiKey],
      models,
      respond: () => answer ?? [],
    });
    const entry: RemoteModel = {
      provider: "openai-chat",
      baseUrl: `${server.url}/v1`,
      model: "real-one",
      apiKey,
      ...changes,
    };
    await assert.rejects(proveNamed({ name: "main", entry, say: () => undefined }), (error: Error) => {
      assert.match(error.message, said);
      assert.ok(!error.message.includes(apiKey));
      return true;
    });
  });

it("names the secret file of a key that is refused", async () => {
  await using server = await startDialectServer({ dialect: "openai-chat", apiKeys: [apiKey], models });
  const entry: RemoteModel = {
    provider: "openai-chat",
    baseUrl: `${server.url}/v1`,
    model: "real-one",
    apiKey: "wrong",
  };
  const keyFiles = [{ path: "/data/secrets/model-main-apiKey", secret: "model-main-apiKey" }];
  const said = /put a working key there with `talaria secret set model-main-apiKey`$/;
  await assert.rejects(proveNamed({ name: "main", entry, keyFiles, say: () => undefined }), said);
});

it("says where a server answers whose address lacks /v1", async () => {
  await using server = await startDialectServer({
    dialect: "openai-chat",
    models,
    beside: async ({ url = "" }, response) => {
      if (url.startsWith("/v1/")) return false;
      response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
      return true;
    },
  });
  const entry: RemoteModel = { provider: "openai-chat", baseUrl: server.url, model: "real-one" };
  const said = new RegExp(`set models\\.main\\.baseUrl to ${server.url}/v1`);
  await assert.rejects(proveNamed({ name: "main", entry, say: () => undefined }), said);
});
