import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable } from "@talaria/testkit";
import { capabilitiesOf } from "./capabilities.ts";
import { emailConfigSchema } from "./config.ts";

const server = { host: "mail.example.org", password: "secret" };
const least = { imap: server, smtp: server, address: "talaria@example.org" };

describe("the settings", () => {
  it("need two servers and an address, and fill in the rest", () => {
    const config = emailConfigSchema.parse(least);
    assert.deepEqual([config.imap.port, config.smtp.port, config.imap.secure], [993, 465, true]);
    assert.deepEqual([config.mailbox, config.unauthenticated, config.receivedAbove], ["INBOX", "refuse", 0]);
    assert.equal(config.trustedAuthservId, undefined);
  });

  it("take secrets that show themselves only when asked", () => {
    const hidden = { host: "mail.example.org", token: { reveal: () => "oauth" } };
    assert.equal(emailConfigSchema.parse({ ...least, imap: hidden }).imap.token, "oauth");
  });

  const faults: readonly (readonly [string, object, string])[] = [
    ["no address", { address: undefined }, "address"],
    ["an address with a name", { address: "T <talaria@example.org>" }, "address"],
    ["an address with capital letters in the domain", { address: "talaria@Example.org" }, "address"],
    ["neither password nor token", { imap: { host: "h" } }, "imap.password"],
    ["both password and token", { smtp: { ...server, token: "t" } }, "smtp.password"],
    ["a port out of range", { imap: { ...server, port: 70_000 } }, "imap.port"],
    ["a server name that is none", { trustedAuthservId: "mx; dmarc=pass" }, "trustedAuthservId"],
    ["a display name of two lines", { displayName: "a\r\nBcc: x" }, "displayName"],
    ["a waiting time longer than servers allow", { checkEveryMs: 30 * 60_000 }, "checkEveryMs"],
    ["a key that nobody knows", { imapp: {} }, ""],
  ];
  for (const [what, fault, path] of faults)
    it(`refuse ${what}, and name the field`, () => {
      const { error } = emailConfigSchema.safeParse({ ...least, ...fault });
      assert.equal(error?.issues[0]?.path.join("."), path);
    });
});

describeCapabilityTable("email", capabilitiesOf(emailConfigSchema.parse(least)));
