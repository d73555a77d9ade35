import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { format, inspect } from "node:util";
import { Secret } from "./secret.ts";

describe("Secret", () => {
  it("prints as [secret] everywhere except where it is asked for by name", () => {
    const secret = new Secret("canary");
    const shown = [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
      format("%s %o %O %j", secret, secret, secret, secret),
      JSON.stringify(structuredClone({ ...secret })),
      Object.keys(secret).join(),
    ];
    for (const text of shown) assert.doesNotMatch(text, /canary/);
    assert.equal(secret.reveal(), "canary");
  });
});
