import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable } from "@talaria/testkit";
import { capabilitiesOf } from "./capabilities.ts";
import { discordConfigSchema } from "./config.ts";

describe("the settings", () => {
  it("need a token, plain or as a secret, and fill in the rest", () => {
    const config = discordConfigSchema.parse({ token: { reveal: () => "a.b-c" } });
    assert.equal(config.token, "a.b-c");
    assert.equal(config.messageContent, true);
    assert.equal(config.apiRoot, "https://discord.com/api");
    assert.equal(discordConfigSchema.safeParse({}).success, false);
    assert.equal(discordConfigSchema.safeParse({ token: "Bot a b" }).success, false);
    assert.equal(discordConfigSchema.safeParse({ token: "a", extra: 1 }).success, false);
  });
});

describeCapabilityTable("discord", capabilitiesOf(discordConfigSchema.parse({ token: "a" })));
