import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable } from "@talaria/testkit";
import { cloudCapabilities } from "./cloud/capabilities.ts";
import { whatsappConfigSchema } from "./config.ts";
import { webCapabilities } from "./web/capabilities.ts";

const cloud = {
  phoneNumberId: "106540352242922",
  accessToken: "EAAthis-is-only-a-test-token",
  appSecret: "0123456789abcdef0123456789abcdef",
  verifyToken: "chosen-by-the-operator",
};

describe("the configuration", () => {
  it("is of the cloud api without a mode, and needs four keys", () => {
    assert.deepEqual(whatsappConfigSchema.parse(cloud), {
      ...cloud,
      apiRoot: "https://graph.facebook.com",
      apiVersion: "v25.0",
    });
    assert.equal(whatsappConfigSchema.parse({ ...cloud, mode: "cloud" }).mode, "cloud");
  });

  it("needs nothing but the mode for a linked device", () => {
    assert.deepEqual(whatsappConfigSchema.parse({ mode: "web" }), { mode: "web" });
  });

  it("takes secrets that show themselves only when asked, and its own output again", () => {
    const hidden = (text: string) => ({ reveal: () => text });
    const { accessToken, appSecret, verifyToken } = cloud;
    const secrets = {
      accessToken: hidden(accessToken),
      appSecret: hidden(appSecret),
      verifyToken: hidden(verifyToken),
    };
    const config = whatsappConfigSchema.parse({ ...cloud, ...secrets });
    assert.equal("appSecret" in config && config.appSecret, appSecret);
    assert.deepEqual(whatsappConfigSchema.parse(config), config);
  });

  it("takes a base address with a slash at its end", () => {
    const config = whatsappConfigSchema.parse({ ...cloud, apiRoot: "http://127.0.0.1:1/" });
    assert.equal("apiRoot" in config && config.apiRoot, "http://127.0.0.1:1");
  });

  for (const [name, settings, path] of [
    ["no keys at all", {}, "phoneNumberId accessToken appSecret verifyToken"],
    ["a phone number for its id", { ...cloud, phoneNumberId: "+49 155 50" }, "phoneNumberId"],
    ["an access token with a line end", { ...cloud, accessToken: `${cloud.accessToken}\n` }, "accessToken"],
    ["a masked app secret", { ...cloud, appSecret: "****************" }, "appSecret"],
    ["a short app secret", { ...cloud, appSecret: "0123456789" }, "appSecret"],
    ["a placeholder for the verify token", { ...cloud, verifyToken: "changeme" }, "verifyToken"],
    ["an address of another kind", { ...cloud, apiRoot: "file:///etc" }, "apiRoot"],
    ["a version without its letter", { ...cloud, apiVersion: "25.0" }, "apiVersion"],
    ["an unknown key", { ...cloud, appSecrt: "x" }, ""],
    ["a key of the other mode", { mode: "web", accessToken: "x" }, ""],
    ["another mode", { ...cloud, mode: "wbe" }, "mode"],
    ["a number with a plus", { mode: "web", pairingNumber: "+4915550" }, "pairingNumber"],
  ] as const)
    it(`refuses ${name}`, () => {
      const { error } = whatsappConfigSchema.safeParse(settings);
      assert.equal(error?.issues.map((issue) => issue.path.join(".")).join(" "), path, error?.message);
    });

  it("says what another mode should have been", () => {
    const { error } = whatsappConfigSchema.safeParse({ mode: "wbe" });
    assert.match(error?.issues[0]?.message ?? "", /"cloud" or "web"/);
  });
});

describeCapabilityTable("whatsapp", cloudCapabilities, webCapabilities);
