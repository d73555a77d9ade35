import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { checkConfig } from "./index.ts";

const text = `
database: "postgres://owner:\${DB_PASSWORD}@db/talaria"
auth: { token: "\${API_TOKEN}" }
gateway: { host: 0.0.0.0 }
models: { main: { provider: openai-chat, model: m, apiKey: "\${MODEL_KEY}" } }
accounts:
  bot: { platform: telegram, token: "\${BOT_TOKEN}" }
  other: { platform: telegram, token: { file: bot.token } }
mcp: { serve: { callers: { ide: { token: "\${IDE_TOKEN}", role: owner } }, http: true, callsPerMinute: 7 } }
webhooks:
  ci: { scheme: token, header: x-token, secret: "\${HOOK_SECRET}", prompt: "built", wait: true }
`;

describe("the part of a configuration for a worker", () => {
  it("holds no secret of accounts, webhook routes or the API, and reads none", () => {
    const env = {
      DB_PASSWORD: "canary-owner",
      DATABASE_URL: "postgres://talaria_worker:its-own@db/talaria",
      API_TOKEN: "canary-api-0123456789abcdef0123",
      MODEL_KEY: "model-key-0123",
      BOT_TOKEN: "canary-bot",
      HOOK_SECRET: "canary-hook-0123456789",
      IDE_TOKEN: "canary-ide-Zk3vQ9xW7pR2",
    };
    const readSecret = () => assert.fail("a secret file was read");
    const { loaded, problems } = checkConfig(text, { file: "config.yaml", env, part: "worker", readSecret });
    assert.deepEqual(problems, []);
    assert.ok(loaded);
    assert.doesNotMatch(revealed(loaded), /canary/);
    assert.deepEqual(loaded.variables, ["MODEL_KEY"]);
    assert.deepEqual([loaded.config.accounts, loaded.config.webhooks], [{}, {}]);
    assert.match(revealed(loaded), /model-key-0123/);
    assert.deepEqual(loaded.config.mcp.serve, { callers: {}, http: true, callsPerMinute: 7 });
  });

  it("that serves tools holds those of its callers, and none of the models", () => {
    const env = { DATABASE_URL: "postgres://its-own@db/talaria", IDE_TOKEN: "ide-token-Zk3vQ9xW7pR2" };
    const { loaded, problems } = checkConfig(text, { file: "config.yaml", env, part: "tools" });
    assert.deepEqual(problems, []);
    assert.deepEqual(loaded?.variables, ["IDE_TOKEN"]);
    assert.equal(loaded?.config.mcp.serve.callers.ide?.token.reveal(), env.IDE_TOKEN);
  });
});

/** Everything that can be reached, secrets shown. */
function revealed(value: unknown): string {
  const seen: string[] = [inspect(value, { depth: null })];
  const visit = (item: unknown): void => {
    if (typeof item !== "object" || item === null) return;
    if ("reveal" in item && typeof item.reveal === "function") seen.push(String(item.reveal()));
    Object.values(item).forEach(visit);
  };
  visit(value);
  return seen.join("\n");
}
