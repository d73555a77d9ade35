import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { chatGptEntry } from "./chatgpt-entry.ts";

const { config } = loadConfig(
  `models:
  main: { provider: demo, fallbacks: [plan] }
  plan: { provider: chatgpt, model: m, login: mine, baseUrl: "http://127.0.0.1:1/v1" }
`,
  { file: "c.yaml", env: {} },
);

it("is found by its own name, and by that of a model", () => {
  assert.equal(chatGptEntry("mine", config).baseUrl, "http://127.0.0.1:1/v1");
  assert.equal(chatGptEntry("plan", config).login, "mine");
});

it("needs no model when it is the ordinary one", () => {
  assert.deepEqual(chatGptEntry("chatgpt", config), { login: "chatgpt" });
});

it("is told apart from what has no login", () => {
  assert.throws(
    () => chatGptEntry("main", config),
    /the model main has no login: only models of the provider `chatgpt`/,
  );
  assert.throws(() => chatGptEntry("none", config), /there is no login called "none" in models: there is mine/);
});
