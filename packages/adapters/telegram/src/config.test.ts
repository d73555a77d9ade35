import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type Conversation, type ConversationId } from "@talaria/protocol";
import { describeCapabilityTable, inConversation } from "@talaria/testkit";
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { telegramConfigSchema, webhookSecretOf } from "./config.ts";

const token = "123456:ABC-DEF_ghi";

describe("the configuration", () => {
  it("needs nothing but a token", () => {
    const config = telegramConfigSchema.parse({ token });
    assert.equal(config.apiRoot, "https://api.telegram.org");
    assert.equal(config.mode, "polling");
    assert.deepEqual(config.paces, { direct: { burst: 3, refillMs: 1000 }, group: { burst: 4, refillMs: 3000 } });
  });

  it("takes a token that shows itself only when asked", () => {
    assert.equal(telegramConfigSchema.parse({ token: { reveal: () => token } }).token, token);
  });

  it("takes a base address with a slash at its end", () => {
    assert.equal(telegramConfigSchema.parse({ token, apiRoot: "http://127.0.0.1:1/" }).apiRoot, "http://127.0.0.1:1");
  });

  for (const [name, settings, path] of [
    ["no token", {}, "token"],
    ["an empty token", { token: "" }, "token"],
    ["a token with a space", { token: "1:a b" }, "token"],
    ["an unknown key", { token, tokn: "x" }, ""],
    ["a webhook without an address", { token, mode: "webhook" }, "webhookUrl"],
    ["a short secret", { token, secretToken: "short" }, "secretToken"],
    ["an address of another kind", { token, apiRoot: "file:///etc" }, "apiRoot"],
  ] as const)
    it(`refuses ${name}`, () => {
      const { error } = telegramConfigSchema.safeParse(settings);
      assert.deepEqual(
        error?.issues.map((issue) => issue.path.join(".")),
        [path],
      );
    });

  it("derives the same webhook secret everywhere, and does not show the token in it", () => {
    const secret = webhookSecretOf(telegramConfigSchema.parse({ token }));
    assert.equal(secret, webhookSecretOf(telegramConfigSchema.parse({ token })));
    assert.match(secret, /^[\w-]{43}$/);
    const chosen = "chosen-by-the-operator";
    assert.equal(webhookSecretOf(telegramConfigSchema.parse({ token, secretToken: chosen })), chosen);
  });
});

const config = telegramConfigSchema.parse({ token });
const group: Conversation = {
  accountId: brandAs<AccountId>("a"),
  platform: "telegram",
  conversationId: brandAs<ConversationId>("-1"),
  kind: "group",
};
const direct = capabilitiesOf(config);
describeCapabilityTable("telegram", direct, inConversation(direct, capabilitiesIn(group, config, true)));
