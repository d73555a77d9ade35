import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "./load-config.ts";

it("the files that keys of models come from are known by model, with their names in the folder of secrets", () => {
  const text = `
models:
  main: { provider: anthropic, model: m, apiKey: { file: secrets/main-key } }
  two: { provider: anthropic, model: m, apiKey: [{ file: secrets/a }, x, { file: /run/secrets/b }] }
  typed: { provider: anthropic, model: m, apiKey: x }
agent: { model: main }
`;
  const { modelKeyFiles } = loadConfig(text, { file: "/etc/talaria/config.yaml", env: {}, readSecret: () => "key" });
  assert.deepEqual(modelKeyFiles, {
    main: [{ path: "/etc/talaria/secrets/main-key", secret: "main-key" }],
    two: [{ path: "/etc/talaria/secrets/a", secret: "a" }, { path: "/run/secrets/b" }],
  });
});

it("those of accounts are known by account, with the setting that each stands for", () => {
  const text = `
accounts:
  bot: { platform: telegram, token: { file: secrets/bot-token } }
  mail: { platform: email, imap: { password: { file: /run/secrets/imap } } }
`;
  const { accountKeyFiles } = loadConfig(text, { file: "/etc/talaria/config.yaml", env: {}, readSecret: () => "key" });
  assert.deepEqual(accountKeyFiles, {
    bot: [{ key: "token", path: "/etc/talaria/secrets/bot-token", secret: "bot-token" }],
    mail: [{ key: "imap.password", path: "/run/secrets/imap" }],
  });
});
