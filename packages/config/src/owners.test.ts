import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { checkConfig, loadConfig } from "./load-config.ts";
import type { Platforms } from "./platform-rules.ts";

const telegram = {
  configSchema: z.object({ token: z.string() }),
  ids: { user: /^\d+$/, group: /^-\d+$/, example: "telegram:user:123456" },
  identityKey: "token",
};
const platforms: Platforms = { names: ["telegram", "slack"], rules: { telegram } };
const options = { file: "config.yaml", env: {}, platforms };

const accounts = `accounts:
  one: { platform: telegram, token: "1:a", access: { direct: allowlist } }
  two: { platform: slack, token: "x" }
`;

describe("owners", () => {
  it("are owners on every account of their platform, and on no other", () => {
    const { config, problems } = loadConfig(`owners: ["telegram:user:123"]\n${accounts}`, options);
    assert.deepEqual(problems, []);
    assert.deepEqual(config.accounts.one?.access.owners, ["123"]);
    assert.deepEqual(config.accounts.two?.access.owners, []);
  });

  it("are nobody unless they are listed", () => {
    assert.deepEqual(loadConfig("", options).config.owners, []);
    const [problem] = checkConfig(accounts, options).problems;
    assert.match(problem?.message ?? "", /no principals for account one/);
  });

  const bad: readonly (readonly [string, RegExp])[] = [
    ["telegram:user:@ada", /not the id of a user on telegram/],
    ["telegram:user:", /not the id of a user on telegram/],
    ["telegram:group:-5", /an owner is/],
    ["123", /an owner is/],
    ["*", /an owner is/],
    ["", /an owner is/],
    ["telegrm:user:123", /"telegrm" is not the name of a platform/],
    ["slack:user:", /not the id of a user on slack/],
  ];
  for (const [entry, message] of bad)
    it(`are not read from ${JSON.stringify(entry)}: the whole file is rejected`, () => {
      const { problems, loaded } = checkConfig(`owners: ["telegram:user:1", ${JSON.stringify(entry)}]`, options);
      assert.equal(loaded, undefined);
      assert.deepEqual(
        problems.map(({ path, line }) => [path, line]),
        [["owners.1", 1]],
      );
      assert.match(problems[0]?.message ?? "", message);
    });

  it("are told the nearest platform", () => {
    const { problems } = checkConfig('owners: ["telegrm:user:123"]', options);
    assert.match(problems[0]?.suggestion ?? "", /telegram/);
  });
});
