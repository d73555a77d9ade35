import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { QuotedThread } from "./quoted-thread.ts";
import { stripHistory } from "./strip-history.ts";

const thread: QuotedThread = {
  subject: "Offer",
  isAnswer: true,
  isOurs: false,
  address: "gw@mail.test",
  author: { name: "Ada", address: "ada@people.test" },
};

const forwards: readonly (readonly [program: string, subject: string, mail: string])[] = [
  [
    "Gmail",
    "Fwd: Offer",
    "Can you answer this?\n\n---------- Forwarded message ---------\nFrom: Bob <bob@b.test>\nDate: Mon, Nov 2, 2026 at 10:00 AM\nSubject: Offer\nTo: <ada@people.test>\n\n\nHello\n\n-- \nBob",
  ],
  [
    "Apple Mail",
    "Fwd: Offer",
    "Can you answer this?\n\n> Begin forwarded message:\n> \n> From: Bob <bob@b.test>\n> Subject: Offer\n> Date: 2 November 2026 at 10:00:08 CET\n> To: ada@people.test\n> \n> Hello",
  ],
  [
    "Outlook, English",
    "FW: Offer",
    "Can you answer this?\n\n________________________________\nFrom: Bob <bob@b.test>\nSent: Monday, November 2, 2026 10:00 AM\nTo: Ada <ada@people.test>\nSubject: Offer\n\nHello",
  ],
  [
    "Outlook, German",
    "WG: Offer",
    "Kannst Du antworten?\n\nVon: Bob <bob@b.test>\nGesendet: Montag, 2. November 2026 10:00\nAn: Ada <ada@people.test>\nBetreff: Offer\n\nHallo",
  ],
  [
    "Thunderbird",
    "Fwd: Offer",
    "See.\n\n-------- Forwarded Message --------\nSubject: \tOffer\nDate: \tMon, 2 Nov 2026 10:00:30 +0100\nFrom: \tBob <bob@b.test>\nTo: \tada@people.test\n\nHello",
  ],
];

describe("a mail that is passed on", () => {
  for (const [program, subject, mail] of forwards) {
    it(`stays whole, ${program}`, () => assert.equal(stripHistory(mail, { ...thread, subject }).text, mail));

    it(`stays whole in a thread with us, ${program}`, () =>
      assert.equal(stripHistory(mail, { ...thread, subject, isOurs: true }).text, mail));
  }

  for (const [program, subject, mail] of forwards) {
    it(`is somebody else's words, ${program}`, () => {
      const { passedOn } = stripHistory(mail, { ...thread, subject, isOurs: true });
      assert.ok(mail.endsWith(passedOn));
      assert.match(mail.slice(0, -passedOn.length).replace(/^_+$/m, ""), /^[^:]+\s*$/);
    });
  }

  for (const [program, , mail] of forwards.filter(([program]) => !program.startsWith("Outlook")))
    it(`is known by its mark when the subject is another one, ${program}`, () =>
      assert.equal(stripHistory(mail, thread).text, mail));

  it("in Apple Mail of a language that we do not know is known by its structure", () => {
    const mail = (forwards[1]?.[2] ?? "").replace("Begin forwarded message:", "Xyzzy plugh frotz:");
    assert.equal(stripHistory(mail, thread).text, mail);
  });

  it("is history where an answer quotes it", () => {
    const [, , mail] = forwards[0] ?? ["", "", ""];
    const answer = `Yes.\n\nOn Tue, 3 Nov 2026 at 9:00, Ada <ada@people.test> wrote:\n> ${mail.replaceAll("\n", "\n> ")}`;
    assert.equal(stripHistory(answer, { ...thread, subject: "Re: Fwd: Offer", isOurs: true }).text, "Yes.");
  });

  it("VS: is an answer in Finnish, where the thread is ours", () => {
    const mail =
      "Kyllä.\n\nLähettäjä: Talaria <gw@mail.test>\nLähetetty: maanantai 2. marraskuuta 2026 10.00\nVastaanottaja: Ada\nAihe: Offer\n\nHei";
    assert.equal(stripHistory(mail, { ...thread, subject: "VS: Offer", isOurs: true }).text, "Kyllä.");
    assert.equal(stripHistory(mail, { ...thread, subject: "VS: Offer" }).text, mail);
  });

  it("stays whole where a word that we do not know stands before the subject, unless the thread is ours", () => {
    const [, , mail] = forwards[3] ?? ["", "", ""];
    assert.equal(stripHistory(mail, { ...thread, subject: "Xyz: Offer" }).text, mail);
    assert.equal(stripHistory(mail, { ...thread, subject: "Xyz: Offer", isOurs: true }).text, "Kannst Du antworten?");
  });
});
