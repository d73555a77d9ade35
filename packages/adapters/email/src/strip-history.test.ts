import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { QuotedThread } from "./quoted-thread.ts";
import { stripHistory } from "./strip-history.ts";

const answer: QuotedThread = {
  subject: "Re: Shall we?",
  isAnswer: true,
  isOurs: true,
  address: "gw@mail.test",
  author: { name: "Ada Lovelace", address: "ada@people.test" },
};
const first: QuotedThread = { ...answer, subject: "A question", isAnswer: false, isOurs: false };

const cases: readonly (readonly [what: string, mail: string, kept: string])[] = [
  ["nothing", "Just text.\n\nTwo paragraphs.", "Just text.\n\nTwo paragraphs."],
  ["English attribution", "Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Ada <ada@a.test> wrote:\n> Shall we?\n> Ada", "Yes."],
  [
    "an attribution on two lines",
    "Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Ada Lovelace\n<ada@a.test> wrote:\n\n> Shall we?",
    "Yes.",
  ],
  ["an attribution right below the words", "Yes.\nOn 2 Nov 2026, Ada wrote:\n> Shall we?", "Yes."],
  ["German attribution", "Ja.\n\nAm 02.11.26 um 10:00 schrieb Ada:\n> Wollen wir?", "Ja."],
  ["French attribution", "Oui.\n\nLe lun. 2 nov. 2026 à 10:00, Ada <a@a.test> a écrit :\n> Alors ?", "Oui."],
  ["Spanish attribution", "Sí.\n\nEl lun, 2 nov 2026 a las 10:00, Ada escribió:\n> ¿Vamos?", "Sí."],
  ["Outlook's rule", "Fine.\n\n-----Original Message-----\nFrom: Ada\nSent: Monday\nSubject: x\n\nold", "Fine."],
  [
    "Outlook's head",
    "Fine.\n\n________________________________\nFrom: Ada <a@a.test>\nSent: Monday, 2 November 2026 10:00\nTo: Bob\nSubject: x\n\nold",
    "Fine.",
  ],
  [
    "a head of names alone, with the thread's subject",
    "Gut.\n\nVon: Ada\nGesendet: Montag, 2. November 2026 10:00\nAn: Bob\nBetreff: AW: Shall we?\n\nalt",
    "Gut.",
  ],
  [
    "a line right above a head",
    "Siehe hier:\nVon: Ada <a@a.test>\nGesendet: Montag, 2. November 2026 10:00\nAn: Bob\nBetreff: x\n\nalt",
    "Siehe hier:",
  ],
  ["a quote without attribution at the end", "Yes.\n\n> Shall we?\n> Now?", "Yes."],
  [
    "answers between quotes stay with them",
    "On Monday, Ada wrote:\n> one?\nyes\n> two?\nno",
    "On Monday, Ada wrote:\n> one?\nyes\n> two?\nno",
  ],
  ["a quote above the answer stays", "> one?\n\nyes", "> one?\n\nyes"],
  ["a signature", "Yes.\n\n-- \nAda Lovelace\nAnalyst", "Yes."],
  ["a signature and history", "Yes.\n\n-- \nAda\n\nOn Monday, Bob wrote:\n> x", "Yes."],
  ["a signature below the history", "Yes.\n\nOn Monday, Bob wrote:\n> x\n\n-- \nAda", "Yes."],
  ["a signature whose space got lost, by its name", "Yes.\n\n--\nAda Lovelace\nAnalyst", "Yes."],
  ["dashes between words", "one\n--\ntwo three four", "one\n--\ntwo three four"],
  [
    "a long text below a rule of dashes is no signature",
    `a\n-- \n${"line\n".repeat(20)}`,
    `a\n-- \n${"line\n".repeat(20)}`.trim(),
  ],
  ["Sent from my phone", "Yes.\n\nSent from my iPhone", "Yes."],
  [
    "the same in German, above history",
    "Ja.\n\nVon meinem iPhone gesendet\n\nAm 02.11.26 um 10:00 schrieb Ada:\n> x",
    "Ja.",
  ],
  [
    "a sentence about a phone",
    "It fails.\n\nSent from my desk, not my phone.",
    "It fails.\n\nSent from my desk, not my phone.",
  ],
  [
    "a sentence that only begins alike",
    "On Monday I wrote: nothing.\nAnd then more.",
    "On Monday I wrote: nothing.\nAnd then more.",
  ],
  [
    "a list of fields that is the text itself",
    "From: Berlin\nTo: Paris\nDate: Monday",
    "From: Berlin\nTo: Paris\nDate: Monday",
  ],
  ["only history stays as it is", "On Monday, Ada wrote:\n> Shall we?", "On Monday, Ada wrote:\n> Shall we?"],
  ["line ends of mail", "Yes.\r\n\r\n> old\r\n", "Yes."],
];

/** People's own words that look like history. */
const own: readonly string[] = [
  "Please book:\n\nFrom: Berlin\nTo: Paris\nDate: 3 May\n\nWindow seat please",
  "Please book:\n\nFrom: Berlin\nTo: Paris\nDate: 3 May 2026 10:00\nSubject: journey\n\nWindow seat please",
  "Here is the form:\n\nDate: 3 May 2026\nTo: the board\nSubject: budget\n\nAll else as before.",
  "My data:\n\nName: Ada Lovelace\nE-Mail: ada@people.test\nAppointment: 3 May 2026 10:00\n\nThank you",
  "Please invite:\n\nOrganizer: Ada <ada@people.test>\nTime: 3 May 2026 10:00\nPlace: Berlin\nTopic: Budget\n\nThanks",
  "Agenda\n------\nStart: 3 May 2026 10:00\nPlace: Berlin\n\nThat is all.",
  "--- Agenda ---\nOrganizer: Ada <ada@people.test>\nStart: 3 May 2026 10:00\nPlace: Berlin\n\nThat is all.",
  "It stops.\n\nLog of 2026-11-02 10:00:\n\n> error\n> stopped",
  "Please send a copy:\n\nName: Ada\nCopy to: gw@mail.test\nWhen: 3 May 2026 10:00\n\nThanks",
  "The poem:\n\n> Roses are red\n> Violets are blue",
  "Notes of 3 May 2026, 10:00:\n\nall is well",
  "--- Notes ---\n\nall is well",
  "1.\n---\n2.",
];

describe("what a sender wrote this time", () => {
  for (const [what, mail, kept] of cases) it(what, () => assert.equal(stripHistory(mail, answer).text, kept));

  for (const mail of own)
    it(`keeps ${JSON.stringify(mail.slice(0, 40))}`, () => {
      const whole = { text: mail, quoted: "", history: "none", hasSignature: false, passedOn: "" };
      assert.deepEqual(stripHistory(mail, answer), whole);
      assert.deepEqual(stripHistory(mail, first), whole);
    });

  it("says what is left out", () => {
    const left = (mail: string) => {
      const { history, hasSignature } = stripHistory(mail, answer);
      return [history, hasSignature];
    };
    assert.deepEqual(left("Yes."), ["none", false]);
    assert.deepEqual(left("Yes.\n\n> Shall we?"), ["likely", false]);
    assert.deepEqual(left("Yes.\n\n-- \nAda"), ["none", true]);
    assert.deepEqual(left("Yes.\n\n-- \nAda\n\nOn Monday, Bob wrote:\n> x"), ["likely", true]);
    assert.deepEqual(left("Yes.\n\nOn 2 Nov 2026, Bob wrote:\n> x"), ["sure", false]);
  });

  it("keeps in a mail that answers nothing what may be pasted", () => {
    const quote = "What is it about?\n\n> Shall we?";
    assert.equal(stripHistory(quote, first).text, quote);
    const pasted =
      "I got this:\n\nFrom: Bob <bob@b.test>\nSent: Monday, 2 November 2026 10:00\nTo: Ada\nSubject: Offer\n\nBuy!";
    assert.equal(stripHistory(pasted, first).text, pasted);
    const told = "He is late.\n\nAs Bob wrote on 2 Nov 2026:\n> soon";
    assert.equal(stripHistory(told, first).text, told);
    const attributed = "See below.\n\nOn Mon, 2 Nov 2026 at 10:00, Bob <bob@b.test> wrote:\n> pay me";
    assert.equal(stripHistory(attributed, first).text, "See below.");
  });
});
