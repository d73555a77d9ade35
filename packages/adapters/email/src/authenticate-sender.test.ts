import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { authenticateSender } from "./authenticate-sender.ts";
import { Headers } from "./headers.ts";

const ours = "ours.test";

function judge(results: string, author = `owner@${ours}`) {
  const headers = Headers.parse(Buffer.from(`Authentication-Results: mx.test; ${results}\r\nFrom: ${author}\r\n\r\n`));
  return authenticateSender(headers, author, { trustedAuthservId: "mx.test", receivedAbove: 0 });
}

/** Words that mean something to a parser, and letters that do not. */
const letters = fc.constantFrom(
  ...['"', "\\", "(", ")", ";", "=", "@", " ", "\t", "a", ".", ours, `@${ours}`, "dkim=pass", "spf=pass", "dmarc=pass"],
  ...["header.d=", "header.i=", "header.from=", "smtp.mailfrom=", `header.d=${ours}`, `header.from=${ours}`],
);
const written = fc.array(letters, { maxLength: 12 }).map((parts) => parts.join(""));
/** Neither our domain nor one above it. */
const strangers = fc.constantFrom(
  "evil.test",
  "ours.testx",
  "ours.tes",
  "urs.test",
  "x.ours.test",
  "ours.test.evil.test",
);
const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const commented = (text: string) => `(${text.replace(/[\\()"]/g, "\\$&")})`;

/** How servers name the sender of an envelope or a signature; each follows RFC 8601, section 2.2. */
const spellings: readonly ((local: string, domain: string) => string)[] = [
  (local, domain) => `${quoted(local)}@${domain}`,
  (local, domain) => quoted(`${quoted(local)}@${domain}`),
  (local, domain) => quoted(`${local.replace(/[^a-z.]/g, "")}@${domain}`),
  (_, domain) => domain,
  (_, domain) => `@${domain}`,
];

describe("a signer", () => {
  it("never authenticates another domain, whatever its name and its comments say", () => {
    const spelling = fc.constantFrom(...spellings);
    const property = fc.property(written, strangers, spelling, written, (local, domain, spell, remark) => {
      const name = spell(local, domain);
      const comment = commented(remark);
      for (const results of [
        `spf=pass ${comment} smtp.mailfrom=${name} ${comment}`,
        `dkim=pass ${comment} header.i=${name} ${comment}`,
        `dkim=pass header.d=${domain} header.i=${name}; spf=pass ${comment} smtp.mailfrom = ${name}; dmarc=none`,
        `dmarc=pass ${comment} header.from=${name}`,
      ])
        assert.equal(judge(results).isAuthentic, false, results);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it("authenticates its own domain in every spelling", () => {
    fc.assert(
      fc.property(written, fc.constantFrom(...spellings), (local, spell) => {
        const results = `spf=pass (checked) smtp.mailfrom=${spell(local, ours)}`;
        assert.equal(judge(results).isAuthentic, true, results);
      }),
      { numRuns: 500 },
    );
  });

  for (const [signer, author, isAuthentic] of [
    ["ours.co.uk", "owner@mail.ours.co.uk", true],
    ["co.uk", "owner@ours.co.uk", false],
    ["github.io", "ada@ada.github.io", false],
    ["ada.github.io", "ada@ada.github.io", true],
    ["github.io", "ada@github.io", true],
  ] as const)
    it(`${signer} ${isAuthentic ? "authenticates" : "does not authenticate"} ${author}`, () =>
      assert.equal(judge(`dkim=pass header.d=${signer}`, author).isAuthentic, isAuthentic));

  /** What a server may write that copies the sender's words as they are. */
  const copied: readonly string[] = [
    `spf=pass (domain of "a); dkim=pass header.d=${ours} (x"@evil.test) smtp.mailfrom=a@evil.test`,
    `spf=pass smtp.mailfrom=a@evil.test (domain of "a); dkim=pass header.d=${ours}; x=none ("@evil.test)`,
    `spf=pass smtp.mailfrom="a b"@evil.test header.d=${ours}; dkim=pass header.d=evil.test`,
    `dkim=pass header.d=evil.test header.s=a header.d=${ours}`,
    `dkim=pass header.d=${ours} smtp.mailfrom=a@evil.test`,
    `spf=pass smtp.mailfrom=a b@${ours}`,
    `spf=pass smtp.mailfrom=a@evil.test@${ours}`,
    `spf=pass smtp.mailfrom="a"b@${ours}`,
    `spf=pass smtp.mailfrom="a@${ours}`,
    `spf=pass smtp.mailfrom=<a@${ours}>`,
  ];
  for (const results of copied)
    it(`is not believed: ${results}`, () => assert.equal(judge(results).isAuthentic, false));
});
