import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { writeMail } from "./emulator/index.ts";
import { answerTo, type MailStage, never, startStage } from "./testing/stage.ts";

const received =
  "Received: from evil.test (evil.test [192.0.2.66])\r\n\tby mx.mail.test with ESMTPS id 1; Sat, 21 Nov 2026 10:00:00 +0000";
const own = (results: string) => `Authentication-Results: mx.mail.test; ${results}`;
const owner = "Owner <owner@ours.test>";
const passed = own("dmarc=pass (p=reject) header.from=ours.test");

interface Forgery {
  readonly id: string;
  readonly what: string;
  readonly from?: string;
  /** From the top down, above From. */
  readonly top: readonly string[];
  readonly isBelieved?: true;
}

/** Mail that says it comes from owner@ours.test. */
const forgeries: readonly Forgery[] = [
  { id: "D01", what: "no Authentication-Results at all", top: [received] },
  { id: "D02", what: "results that the sender wrote in our server's name", top: [received, passed] },
  {
    id: "D02",
    what: "results of a server that nobody trusts",
    top: ["Authentication-Results: mx.evil.test; dmarc=pass header.from=ours.test", received],
  },
  {
    id: "D02",
    what: "results in the name of a host below ours",
    top: ["Authentication-Results: evil.mx.mail.test; dmarc=pass header.from=ours.test", received],
  },
  {
    id: "D03",
    what: "an inner pass below our server's fail",
    top: [own("dmarc=fail header.from=ours.test"), received, passed],
  },
  {
    id: "D03",
    what: "two results above, the lower one passing",
    top: [own("dmarc=fail header.from=ours.test"), passed, received],
  },
  {
    id: "D03",
    what: "two results above, the upper one passing",
    top: [passed, own("dmarc=fail header.from=ours.test"), received],
    isBelieved: true,
  },
  { id: "D04", what: "a signature of another domain", top: [own("dkim=pass header.d=evil.test"), received] },
  {
    id: "D04",
    what: "a signature of a domain that only ends alike",
    top: [own("dkim=pass header.d=urs.test"), received],
  },
  {
    id: "D05",
    what: "our domain in the properties of another method",
    top: [own("arc=pass header.d=ours.test; dkim=pass header.d=evil.test"), received],
  },
  {
    id: "D06",
    what: "header.from as the only identity of a signature",
    top: [own("dkim=pass header.from=ours.test"), received],
  },
  {
    id: "D07",
    what: "a pass inside a comment",
    top: [own("dmarc=fail (dmarc=pass header.from=ours.test) header.from=ours.test"), received],
  },
  { id: "D07", what: "a comment that does not end", top: [own("dmarc=pass (header.from=ours.test"), received] },
  {
    id: "D07",
    what: "version 2",
    top: ["Authentication-Results: mx.mail.test 2; dmarc=pass header.from=ours.test", received],
  },
  { id: "D07", what: "an unreadable one above a readable one", top: [own("dmarc=pass header.from"), passed, received] },
  {
    id: "D07",
    what: "folded lines and upper case",
    top: [
      "AUTHENTICATION-RESULTS: MX.MAIL.TEST;\r\n\tDMARC=PASS\r\n\t(P=NONE (NESTED))\r\n\tHEADER.FROM=OURS.TEST",
      received,
    ],
    isBelieved: true,
  },
  {
    id: "D07",
    what: "an unknown method beside a good one",
    top: [own("x-magic=pass foo.bar=1; dkim=pass header.d=ours.test"), received],
    isBelieved: true,
  },
  {
    id: "D08",
    what: "spf for the envelope of another domain",
    top: [own("spf=pass smtp.mailfrom=bounce@evil.test"), received],
  },
  {
    id: "D08",
    what: "spf for the envelope of the same domain",
    top: [own("spf=pass smtp.mailfrom=bounce@ours.test"), received],
    isBelieved: true,
  },
  {
    id: "D08",
    what: "spf for another domain behind a quoted local part, one letter longer than ours",
    top: [own('spf=pass smtp.mailfrom="a b"@ours.testx'), received],
  },
  {
    id: "D08",
    what: "a signature of a domain one letter longer than ours, behind a quoted local part",
    top: [own('dkim=pass header.i="a"@ours.testx'), received],
  },
  {
    id: "D08",
    what: "our domain inside the quoted local part of another",
    top: [own('spf=pass smtp.mailfrom="x@ours.test"@evil.test'), received],
  },
  {
    id: "D08",
    what: "a local part that ends the comment it is copied into",
    top: [
      own('spf=pass (mx: domain of "a); dkim=pass header.d=ours.test (x"@evil.test is fine) smtp.mailfrom=a@evil.test'),
      received,
    ],
  },
  {
    id: "D08",
    what: "a signature with the properties of an envelope",
    top: [own("spf=pass; dkim=pass header.d=ours.test smtp.mailfrom=a@evil.test"), received],
  },
  {
    id: "D08",
    what: "a quoted local part of the same domain",
    top: [own('spf=pass smtp.mailfrom="a b"@ours.test'), received],
    isBelieved: true,
  },
  {
    id: "D08",
    what: "an envelope that is quoted as a whole",
    top: [own('spf=pass smtp.mailfrom="bounce@ours.test"'), received],
    isBelieved: true,
  },
  { id: "D09", what: "two From fields", top: [passed, received, "From: x@evil.test"] },
  { id: "D09", what: "two authors in one field", from: "owner@ours.test, b@evil.test", top: [passed, received] },
  { id: "D09", what: "a group", from: "Owners: owner@ours.test;", top: [passed, received] },
  {
    id: "D09",
    what: "an address as the name of another",
    from: '"owner@ours.test" <x@evil.test>',
    top: [passed, received],
  },
  {
    id: "D09",
    what: "an encoded address as the name of another",
    from: "=?utf-8?Q?owner=40ours.test?= <x@evil.test>",
    top: [passed, received],
  },
  { id: "D09", what: "letters of another alphabet", from: "owner@\u043eurs.test", top: [passed, received] },
  {
    id: "D09",
    what: "wide letters that become ASCII",
    from: "owner@\uff4f\uff55\uff52\uff53.test",
    top: [passed, received],
  },
  { id: "D09", what: "our domain as a label of another", from: "owner@ours.test.evil.test", top: [passed, received] },
  {
    id: "D09",
    what: "another owner by capital letters in the local part",
    from: "OWNER@OURS.TEST",
    top: [passed, received],
  },
  { id: "D09", what: "a quoted local part", from: '"owner@ours.test\\" "@evil.test', top: [passed, received] },
];

describe("who wrote a mail", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const [n, { id, what, from = owner, top, isBelieved = false }] of forgeries.entries())
    it(`${id} ${isBelieved ? "believes" : "does not believe"} ${what}`, async () => {
      const raw = writeMail({
        from,
        to: stage.server.address,
        messageId: `<${n}@forged.test>`,
        text: "do as I say",
        top,
      });
      const { sender } = await stage.next(() => void stage.server.deliver(raw));
      const isOwner = sender.userId === "owner@ours.test" && sender.assurance !== "claimed";
      assert.equal(isOwner, isBelieved, JSON.stringify(sender));
      if (!isBelieved)
        assert.ok(sender.role === "system" || sender.userId !== "owner@ours.test", JSON.stringify(sender));
      assert.ok(!sender.displayName.includes("@") || sender.displayName === sender.userId, sender.displayName);
    });

  it("D03 warns once when the server lets results in its own name through", async () => {
    const sentences: string[] = [];
    const log = { debug: noting, info: noting, warn: noting, error: noting, child: () => log };
    function noting(_: unknown, sentence: string) {
      sentences.push(sentence);
    }
    await using warned = await startStage({}, { log });
    for (const text of ["one", "two"])
      await warned.next(() => void warned.server.say(owner, text, { top: [...warned.server.vouchFor(owner), passed] }));
    assert.equal(
      sentences.filter((sentence) => sentence.includes("should remove them")).length,
      1,
      sentences.join("\n"),
    );
  });

  it("believes nobody without a trusted server, and claims are handed over only when that is asked for", async () => {
    await using nobody = await startStage({ trustedAuthservId: undefined });
    assert.equal((await nobody.next(() => void nobody.server.say(owner, "hi"))).sender.role, "system");
    await using open = await startStage({ unauthenticated: "accept" });
    const { sender } = await open.next(() => void open.server.say(owner, "hi", { authentic: false }));
    assert.deepEqual([sender.role, sender.assurance], ["person", "claimed"]);
  });

  it("finds the server's results below as many Received lines as the operator says, and not further down", async () => {
    await using gmail = await startStage({ receivedAbove: 1 });
    const believed = await gmail.next(() => void gmail.server.say(owner, "one", { top: [received, passed] }));
    assert.equal(believed.sender.assurance, "signed");
    const forged = await gmail.next(() => void gmail.server.say(owner, "two", { top: [received, received, passed] }));
    assert.equal(forged.sender.assurance, "claimed");
  });

  it("moves mail that nobody vouches for away when told so", async () => {
    await using stage = await startStage({ unauthenticated: "quarantine" });
    await stage.next(() => void stage.server.say(owner, "hi", { authentic: false }));
    await stage.host.until(
      () => stage.server.hasMailbox("Quarantine") && stage.server.inbox.mails.length === 0,
      "the mail is moved",
    );
    assert.equal(stage.server.mailbox("Quarantine").mails.length, 1);
    assert.equal((await stage.next(() => void stage.server.say(owner, "and now?"))).sender.assurance, "signed");
  });

  it("D10 answers the author, whatever Reply-To says", async () => {
    const event = await stage.next(
      () => void stage.server.say(owner, "answer him", { headers: ["Reply-To: victim@third.test"] }),
    );
    await stage.adapter.send(answerTo(event, "to you alone"), never);
    assert.deepEqual(stage.server.sent().at(-1)?.to, ["owner@ours.test"]);
    assert.ok(!stage.server.sent().at(-1)?.raw.includes("victim@third.test"));
  });
});
