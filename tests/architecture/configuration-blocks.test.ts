import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfig } from "@talaria/config";
import { loadPlatforms, platformNames } from "@talaria/platforms";
import { parse, stringify } from "yaml";
import { documentBlocks } from "../support/document-blocks.ts";

/** What pages speak of as being there: the account, the route and the models that an excerpt names. */
const surroundings = {
  accounts: { "telegram-main": { platform: "telegram", token: "1:a", access: { direct: "pairing" } } },
  webhooks: {
    ci: {
      scheme: "github",
      secret: "kX9vQ2mZ7pL4rT8wB3nC6yH1",
      prompt: "Built.",
      deliver: { account: "telegram-main", conversation: "123456" },
    },
  },
  models: { main: { provider: "demo" }, second: { provider: "demo" } },
};

const shaped = { SLACK_BOT_TOKEN: "xoxb-1-of-the-documents", SLACK_APP_TOKEN: "xapp-1-of-the-documents" };
/** Long enough for every secret. */
const secret = "kX9vQ2mZ7pL4rT8wB3nC6yH1-of-the-documents";

const rules = Object.fromEntries(await loadPlatforms(platformNames));

describe("every YAML block of the documents", () => {
  const blocks = documentBlocks("yaml").filter(({ notRun }) => notRun === undefined);

  for (const { page, line, text } of blocks)
    it(`${page}:${line} is a configuration without a problem`, () => {
      assert.deepEqual(problemsOf(text), []);
    });

  it("is caught when it has one", () => {
    assert.ok(blocks.length > 20, "hardly any block is found");
    assert.deepEqual(problemsOf("gateway: { prot: 1 }\n"), ["gateway.prot: unknown key"]);
    assert.notDeepEqual(problemsOf("accounts: { a: { platform: telegram } }\n"), []);
  });
});

function problemsOf(text: string): readonly string[] {
  const named = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, secret]));
  const env = { ...named, ...shaped };
  const whole = stringify(merged(surroundings, parse(text)));
  const { problems, loaded } = checkConfig(whole, {
    file: "document.yaml",
    env,
    readSecret: () => secret,
    platforms: { names: platformNames, rules },
  });
  const disabled = (loaded?.config.disabled ?? []).map(({ name, reason }) => `${name}: ${reason}`);
  return [...problems.map(({ path, message }) => `${path}: ${message}`), ...disabled];
}

/** Maps are merged, whatever else is in both is taken from the block. */
function merged(under: unknown, over: unknown): unknown {
  if (!isMap(under) || !isMap(over)) return over;
  const keys = [...new Set([...Object.keys(under), ...Object.keys(over)])];
  return Object.fromEntries(keys.map((key) => [key, key in over ? merged(under[key], over[key]) : under[key]]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
