import { answerTo, bob, type CorpusMail, firstMail, us } from "./corpus-mail.ts";

/** Words of people that look like what programs write. All of them have to be read, in whatever mail. */
const texts: readonly (readonly [what: string, text: string])[] = [
  ["a journey", "Please book:\n\nFrom: Berlin\nTo: Paris\nDate: 3 May\n\nWindow seat please"],
  ["a journey with its time", "From: Berlin\nTo: Paris\nDate: 3 May 2026 10:00\nClass: first\n\nWindow seat please"],
  ["a German journey", "Bitte buchen:\n\nVon: Berlin\nNach: Paris\nDatum: 3. Mai 2026, 10:00 Uhr\n\nGerne am Fenster"],
  ["a form", "The form:\n\nDate: 3 May 2026\nTo: the board\nSubject: budget\n\nAll else as before."],
  ["data of somebody", "Name: Ada Lovelace\nE-Mail: ada@people.test\nPhone: 030 1234\nBorn: 10.12.1815\n\nThanks"],
  [
    "an appointment",
    "Organizer: Ada <ada@people.test>\nTime: 3 May 2026 10:00\nPlace: Berlin\nTopic: Budget\n\nThanks",
  ],
  ["a log", "It says:\n\n2026-11-02 10:00:00 error: no space\n2026-11-02 10:00:01 error: stopped\n\nWhat now?"],
  ["dates", "2026-01-15 14:30:25\n15.01.2026 14:30\nJan 15, 2026 at 14:30\n\nAll of these are only examples."],
  ["dashes between words", "one\n--\ntwo three four"],
  ["dashes around a title", "--- Notes ---\n\nall is well\n\n--- Costs ---\n\n12.50"],
  ["a rule of dashes", "First part.\n\n----------------\n\nSecond part: the end."],
  ["a rule of underscores", "First part.\n\n________________________________\n\nName: Bob\nSize: M5\n\nThat is all."],
  ["a poem", "My favourite:\n\n> Roses are red\n> Violets are blue"],
  ["a quote that is spoken about", "> Roses are red\n\nWho wrote this?"],
  [
    "a sentence that begins alike",
    "On Monday, 2 November 2026 at 10:00 we meet Bob <bob.brown@works.test>.\nPlease come.",
  ],
  ["what somebody wrote", "On Monday Bob wrote: nothing.\nAnd then more."],
  ["an introduction", "Notes of 3 May 2026, 10:00:\n\nall is well"],
  ["a list behind a colon", "I need by 3 May 2026, 10:00:\n- screws\n- nuts"],
  [
    "a letter",
    "Type this:\n\nFrom: Ada <ada@people.test>\nTo: Bob <bob.brown@works.test>\nAbout: Screws\n\nSend it so.",
  ],
  [
    "a dated letter",
    "Type this:\n\nFrom: Ada <ada@people.test>\nTo: Bob <bob.brown@works.test>\nDate: 3 May 2026\n\nSend it so.",
  ],
  ["a line above a list", "Dear all:\nFrom: Berlin\nTo: Paris\nStart: 3 May 2026 10:00\nSeat: window"],
  ["an agenda", "Agenda\n------\nStart: 3 May 2026 10:00\nPlace: Berlin\n\nThat is all."],
  ["a titled agenda", "--- Agenda ---\nOrganizer: Ada <ada@people.test>\nStart: 3 May 2026 10:00\n\nThat is all."],
  ["a quoted log", "It stops.\n\nLog of 2026-11-02 10:00:\n\n> error\n> stopped"],
  ["a telephone", "It fails.\n\nSent from my desk, is much easier than my mobile phone."],
  ["a telephone in a sentence", "The parcel was sent from my house\nand the iPhone was broken."],
  ["an address in a line", "Please write to:\nBob <bob.brown@works.test>\nand to:\nEve <eve@works.test>\n\nToday."],
  ["code", "Config:\n\nhost: a.test\nport: 993\nuser: ada@people.test\npassword: none\n\nRight?"],
  [
    "a head that is asked about",
    "What does this mean?\n\nReceived: by a.test\nX-Spam: 3\nDate: Mon, 2 Nov 2026 10:00:00 +0100\n\nThanks",
  ],
  ["who wrote", "My three points:\n\n1. Who wrote: Bob\n2. When: 2 Nov 2026 10:00\n3. To: Ada\n\nDone."],
];

export const ownWords: readonly CorpusMail[] = texts.flatMap(([what, text]) => {
  const mail = { text, seen: text.split("\n").filter((line) => line.trim() !== ""), history: [] };
  return [
    { ...mail, name: `${what}, to us`, thread: answerTo(us, "Re: Screws") },
    { ...mail, name: `${what}, to somebody else`, thread: answerTo(bob, "AW: Screws") },
    { ...mail, name: `${what}, first mail`, thread: firstMail("Screws") },
  ];
});
