import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable } from "@talaria/testkit";
import { capabilitiesOf } from "./capabilities.ts";
import { matrixConfigSchema } from "./config.ts";
import { recoveryKeyBytes } from "./encryption/recovery-key.ts";

const homeserver = "https://matrix.example.org/";

describe("the settings", () => {
  it("need a homeserver, and fill in the rest", () => {
    const config = matrixConfigSchema.parse({ homeserver, accessToken: { reveal: () => "syt_x" } });
    assert.equal(config.homeserver, "https://matrix.example.org");
    assert.equal(config.accessToken, "syt_x");
    assert.equal(config.encryption, true);
    assert.equal(config.invites, "off");
  });

  it("refuse what cannot be meant, and name the field", () => {
    const odd: readonly [field: string, settings: object][] = [
      ["homeserver", { homeserver: "matrix.example.org" }],
      ["user", { homeserver, user: "talaria" }],
      ["invites", { homeserver, invites: { allow: [] } }],
      ["invites", { homeserver, invites: { allow: ["*"] } }],
      ["invites", { homeserver, invites: "yes" }],
      ["recoveryKey", { homeserver, recoveryKey: "correct horse battery staple" }],
      ["accessToken", { homeserver, accessToken: "" }],
      ["", { homeserver, token: "x" }],
    ];
    for (const [field, settings] of odd) {
      const { error } = matrixConfigSchema.safeParse(settings);
      assert.equal(error?.issues[0]?.path[0] ?? "", field);
    }
  });
});

describe("a recovery key", () => {
  // Made with matrix-js-sdk from the bytes 0 to 31.
  const key = "EsSzykH7LCZx7CaecmKDwcmYJRXiYbtu8iQ3t8EznRwKpUY1";

  it("is refused when a letter is wrong", () => {
    const bytes = recoveryKeyBytes(key);
    assert.deepEqual(
      [...bytes],
      Array.from({ length: 32 }, (_, n) => n),
    );
    assert.throws(() => recoveryKeyBytes(`${key.slice(0, 20)}1${key.slice(21)}`), { code: "invalid_request" });
  });
});

describeCapabilityTable("matrix", capabilitiesOf(matrixConfigSchema.parse({ homeserver })));
