import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stripHistory } from "./strip-history.ts";

const cases: readonly (readonly [what: string, mail: string, kept: string])[] = [
  ["nothing", "Just text.\n\nTwo paragraphs.", "Just text.\n\nTwo paragraphs."],
  ["English attribution", "Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Ada <ada@a.test> wrote:\n> Shall we?\n> Ada", "Yes."],
  [
    "an attribution on two lines",
    "Yes.\n\nOn Mon, 2 Nov 2026 at 10:00, Ada Lovelace\n<ada@a.test> wrote:\n\n> Shall we?",
    "Yes.",
  ],
  ["German attribution", "Ja.\n\nAm 02.11.26 um 10:00 schrieb Ada:\n> Wollen wir?", "Ja."],
  ["French attribution", "Oui.\n\nLe lun. 2 nov. 2026 à 10:00, Ada <a@a.test> a écrit :\n> Alors ?", "Oui."],
  ["Spanish attribution", "Sí.\n\nEl lun, 2 nov 2026 a las 10:00, Ada escribió:\n> ¿Vamos?", "Sí."],
  ["Outlook's rule", "Fine.\n\n-----Original Message-----\nFrom: Ada\nSent: Monday\nSubject: x\n\nold", "Fine."],
  [
    "Outlook's head",
    "Fine.\n\n________________________________\nFrom: Ada <a@a.test>\nSent: Monday\nTo: Bob\nSubject: x\n\nold",
    "Fine.",
  ],
  ["German Outlook's head", "Gut.\n\nVon: Ada\nGesendet: Montag\nAn: Bob\nBetreff: x\n\nalt", "Gut."],
  ["a quote without attribution at the end", "Yes.\n\n> Shall we?\n> Now?", "Yes."],
  [
    "answers between quotes stay with them",
    "On Monday, Ada wrote:\n> one?\nyes\n> two?\nno",
    "On Monday, Ada wrote:\n> one?\nyes\n> two?\nno",
  ],
  ["a quote above the answer stays", "> one?\n\nyes", "> one?\n\nyes"],
  ["a signature", "Yes.\n\n-- \nAda Lovelace\nAnalyst", "Yes."],
  ["a signature and history", "Yes.\n\n-- \nAda\n\nOn Monday, Bob wrote:\n> x", "Yes."],
  [
    "a long text below a rule of dashes is no signature",
    `a\n--\n${"line\n".repeat(20)}`,
    `a\n--\n${"line\n".repeat(20)}`.trim(),
  ],
  ["Sent from my phone", "Yes.\n\nSent from my iPhone", "Yes."],
  ["the same in German, above history", "Ja.\n\nVon meinem iPhone gesendet\n\nAm 02.11.26 schrieb Ada:\n> x", "Ja."],
  [
    "a forwarded mail is what was sent",
    "See below.\n\n---------- Forwarded message ---------\nFrom: Ada\n\nhello",
    "See below.\n\n---------- Forwarded message ---------\nFrom: Ada\n\nhello",
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

describe("what a sender wrote this time", () => {
  for (const [what, mail, kept] of cases) it(what, () => assert.equal(stripHistory(mail), kept));
});
