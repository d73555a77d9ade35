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
/** Of another organisation than ours. */
const strangers = fc.constantFrom("evil.test", "ours.testx", "ours.tes", "urs.test", "test", "ours.test.evil.test");
/** Suffixes below which everybody may register a name, as the Public Suffix List has them: of registries, and of companies. */
const suffix = fc.constantFrom("com", "co.uk", "test", "github.io", "s3.amazonaws.com", "blogspot.com");
const label = fc.constantFrom("a", "b", "mail", "ours");
const labels = fc
  .array(fc.oneof(label, fc.constantFrom("com", "co", "uk")), { maxLength: 3 })
  .map((parts) => parts.map((part) => `${part}.`).join(""));
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

  it("never authenticates another organisational domain, and always its own", () => {
    const place = fc.record({ below: labels, own: label, suffix });
    const property = fc.property(place, place, (signer, author) => {
      const [signing, writing] = [signer, author].map(({ own, suffix: of }) => `${own}.${of}`);
      const from = `owner@${author.below}${writing}`;
      for (const results of [
        `dkim=pass header.d=${signer.below}${signing}`,
        `spf=pass smtp.mailfrom=bounce@${signer.below}${signing}`,
      ])
        assert.equal(judge(results, from).isAuthentic, signing === writing, `${results} for ${from}`);
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it("speaks for nobody else where everybody may register a name", () => {
    fc.assert(
      fc.property(suffix, labels, label, (top, below, own) => {
        assert.equal(judge(`dkim=pass header.d=${top}`, `owner@${below}${own}.${top}`).isAuthentic, false);
        assert.equal(judge(`dkim=pass header.d=${below}${own}.${top}`, `owner@${top}`).isAuthentic, false);
      }),
      { numRuns: 1_000 },
    );
  });

  for (const [signer, author, isAuthentic] of [
    // After RFC 7489, sections 3.1.1 and 3.1.2: relaxed alignment, the rule unless a domain publishes a stricter one.
    ["example.com", "joe@example.com", true],
    ["example.com", "joe@news.example.com", true],
    ["child.example.com", "joe@example.com", true],
    ["mail.example.com", "joe@news.example.com", true],
    ["example.net", "joe@example.com", false],
    ["example.com.evil.test", "joe@example.com", false],
    ["amazonaws.com", "joe@a.s3.amazonaws.com", false],
    ["a.s3.amazonaws.com", "joe@b.s3.amazonaws.com", false],
    ["city.kobe.jp", "joe@www.city.kobe.jp", true],
    ["a.b.kobe.jp", "joe@c.b.kobe.jp", false],
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
