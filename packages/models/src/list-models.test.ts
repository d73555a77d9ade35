import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wireCalls, words } from "@talaria/testkit";
import { dialectCases, startDialectPeer } from "./dialects.fixture.ts";
import { listModels, proveModel } from "./index.ts";
import { apiKey } from "./model.fixture.ts";

const { signal } = new AbortController();

for (const dialectCase of dialectCases)
  describe(`a new model of ${dialectCase.dialect}`, () => {
    const { dialect, base, model } = dialectCase;
    const configAt = (url: string, key = apiKey) => ({
      provider: dialect,
      model,
      baseUrl: `${url}${base}`,
      apiKey: key,
    });

    it("is chosen from what the server offers", async () => {
      await using peer = await startDialectPeer(dialectCase, { models: ["first-model", "second-model"] });
      const { url } = peer.server;
      const names = await listModels(configAt(url), signal);
      assert.deepEqual(
        names?.map(({ name }) => name),
        dialect === "bedrock" ? undefined : ["first-model", "second-model"],
      );
      if (dialect === "bedrock") return;
      await assert.rejects(listModels(configAt(url, "wrong"), signal), { code: "unauthorized" });
      await assert.rejects(listModels(configAt(`${url}/nowhere`), signal), /check the base URL/);
      await peer.server.stop();
      await assert.rejects(listModels(configAt(url), signal), { code: "unavailable" });
    });

    it("is proved by a call and an answer that knows its result", async () => {
      const call = wireCalls(["word_of_the_day", {}]);
      const rounds = [call, words("heliotrope"), words("I would rather not"), call, words("no idea")];
      await using peer = await startDialectPeer(dialectCase, { respond: () => rounds.shift() ?? [] });
      assert.deepEqual(await proveModel(peer.model, signal), { servedBy: model, answer: "heliotrope" });
      await assert.rejects(proveModel(peer.model, signal), { code: "unsupported", why: "no_tools" });
      await assert.rejects(proveModel(peer.model, signal), /did not read its result/);
      peer.server.respond = () => [{ kind: "refuse", why: "quota" }];
      await assert.rejects(proveModel(peer.model, signal), { code: "unavailable", why: "quota" });
    });
  });
