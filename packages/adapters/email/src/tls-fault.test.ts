import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { imapError, smtpError } from "./errors.ts";

const failure = (facts: object) => Object.assign(new Error("secret words"), facts);

const faults: readonly (readonly [string, object, RegExp])[] = [
  ["an unknown authority", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }, /NODE_EXTRA_CA_CERTS/],
  ["a certificate that signs itself", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, /NODE_EXTRA_CA_CERTS/],
  ["another host name", { code: "ERR_TLS_CERT_ALTNAME_INVALID" }, /`\w+\.host` to the name/],
  ["an expired certificate", { code: "CERT_HAS_EXPIRED" }, /expired/],
  ["a certificate of tomorrow", { code: "CERT_NOT_YET_VALID" }, /not yet valid/],
  ["a server that speaks no TLS", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }, /`\w+\.secure` to false/],
];

describe("TLS that fails", () => {
  for (const [what, facts, sentence] of faults)
    it(`names the setting to change for ${what}, and can be tried again`, () => {
      const { code, ...rest } = facts as { code: string };
      const errors = [
        imapError(failure(facts), "connecting"),
        smtpError(failure({ ...rest, code: "ESOCKET", originalCode: code }), "connecting", false),
      ];
      for (const error of errors) {
        assert.match(error.message, sentence);
        assert.deepEqual([error.code, error.effect, error.details], ["unavailable", "none", { tls: true }]);
      }
    });

  it("is the same whether a server knows no STARTTLS or does not start it just now", () => {
    const later = { code: "ETLS", command: "STARTTLS", responseCode: 454, response: "454 4.7.0 TLS not available" };
    const errors = [
      imapError(failure({ tlsFailed: true }), "connecting"),
      smtpError(failure(later), "connecting", false),
      smtpError(failure({ ...later, responseCode: 502, response: "502 5.5.1 what?" }), "connecting", false),
    ];
    for (const { code, message } of errors) {
      assert.equal(code, "unavailable");
      assert.match(message, /no STARTTLS/);
    }
  });

  it("leaves a connection that was cut while TLS began to what it is", () => {
    const cut = failure({ code: "ECONNRESET", tlsFailed: true });
    assert.deepEqual(imapError(cut, "connecting").details, {});
  });
});
