import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { platformNames } from "@talaria/platforms";
import { configJsonSchema, configKeys } from "./json-schema.ts";
import { loadConfig } from "./load-config.ts";

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
}

describe("what is written about the configuration", () => {
  it("has an example that loads without a problem", () => {
    const env = { OPENAI_API_KEY: "sk-1", TELEGRAM_BOT_TOKEN: "1:a", CI_WEBHOOK_SECRET: "kX9vQ2mZ7pL4rT8wB3nC6yH1" };
    const { config, problems } = loadConfig(read("config/talaria.example.yaml"), { file: "example", env });
    assert.deepEqual(problems, []);
    assert.deepEqual(Object.keys(config.accounts), ["telegram-main"]);
    assert.deepEqual(Object.keys(config.webhooks), ["ci"]);
  });

  it("has a JSON schema that is up to date", () => {
    assert.deepEqual(
      JSON.parse(read("config/talaria.schema.json")),
      JSON.parse(JSON.stringify(configJsonSchema(platformNames))),
    );
  });

  it("has a table with every key and its default, and no other", () => {
    const rows = [
      ...read("docs/configuration-reference.md").matchAll(
        /^\| `([^`]+\.[^`]+|database|redis|owners)` \| (.*?) \| (.*) \|$/gm,
      ),
    ];
    const written = rows.map(([, path, value, meaning]) => ({ path, value, described: (meaning ?? "").length > 10 }));
    const known = configKeys(platformNames).map((key) => ({
      path: key.path,
      value: shownDefault(key),
      described: true,
    }));
    assert.deepEqual(written, known);
  });
});

function shownDefault({ isRequired, group, default: preset }: ReturnType<typeof configKeys>[number]): string {
  if (isRequired) return group === undefined ? "required" : `required in \`${group}\``;
  return preset === undefined ? "" : `\`${JSON.stringify(preset)}\``;
}
