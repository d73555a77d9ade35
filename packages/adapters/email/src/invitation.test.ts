import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readInvitation } from "./invitation.ts";
import { filesOf, type MailStage, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

/** In the form that Exchange writes: time zones first, an alarm in the event, folded lines. */
const meeting = `BEGIN:VCALENDAR
METHOD:REQUEST
PRODID:Microsoft Exchange Server 2010
VERSION:2.0
BEGIN:VTIMEZONE
TZID:W. Europe Standard Time
BEGIN:STANDARD
DTSTART:16010101T030000
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
ORGANIZER;CN="Lovelace, Ada":mailto:ada@people.test
ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=gw@mail.te
 st:mailto:gw@mail.test
DESCRIPTION;LANGUAGE=en-US:Bring the numbers\\, please.\\nAda
SUMMARY;LANGUAGE=en-US:Budget\\; second
  part
DTSTART;TZID=W. Europe Standard Time:20261102T100000
DTEND;TZID=W. Europe Standard Time:20261102T113000
LOCATION;LANGUAGE=en-US:Room 12\\, Berlin
BEGIN:VALARM
DESCRIPTION:REMINDER
TRIGGER;RELATED=START:-PT15M
END:VALARM
END:VEVENT
END:VCALENDAR
`.replaceAll("\n", "\r\n");

const words =
  "Invitation: Budget; second part\nWhen: Mon 2026-11-02 10:00 to 11:30, W. Europe Standard Time\nWhere: Room 12, Berlin\nOrganizer: Lovelace, Ada <ada@people.test>";

const description = "Bring the numbers, please.\nAda";

const event = (lines: string, method = "REQUEST") =>
  `BEGIN:VCALENDAR\nMETHOD:${method}\nBEGIN:VEVENT\nSUMMARY:Lunch\n${lines}\nEND:VEVENT\nEND:VCALENDAR`;

const whens: readonly (readonly [what: string, lines: string, when: string])[] = [
  ["UTC", "DTSTART:20261102T090000Z\nDTEND:20261102T100000Z", "Mon 2026-11-02 09:00 to 10:00, UTC"],
  ["no zone", "DTSTART:20261102T090000", "Mon 2026-11-02 09:00"],
  ["a length", "DTSTART:20261102T090000Z\nDURATION:PT1H30M", "Mon 2026-11-02 09:00 for PT1H30M, UTC"],
  ["a day", "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261103", "Mon 2026-11-02, all day"],
  ["days", "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261105", "Mon 2026-11-02 to Wed 2026-11-04, all day"],
  [
    "into the night",
    "DTSTART:20261102T230000Z\nDTEND:20261103T010000Z",
    "Mon 2026-11-02 23:00 to Tue 2026-11-03 01:00, UTC",
  ],
  [
    "two zones",
    "DTSTART;TZID=Europe/Berlin:20261102T100000\nDTEND;TZID=Asia/Tokyo:20261102T230000",
    "Mon 2026-11-02 10:00 Europe/Berlin to 23:00 Asia/Tokyo",
  ],
];

describe("an invitation", () => {
  it("says what, when, where and by whom", () => assert.equal(readInvitation(meeting)?.text, words));

  for (const [what, lines, when] of whens)
    it(`says when, ${what}`, () =>
      assert.equal(readInvitation(event(lines))?.text, `Invitation: Lunch\nWhen: ${when}`));

  it("says what became of it", () => {
    const first = (lines: string, method: string) => readInvitation(event(lines, method))?.text.split("\n");
    assert.deepEqual(first("", "CANCEL"), ["Cancelled: Lunch"]);
    assert.deepEqual(first("", "PUBLISH"), ["Event: Lunch"]);
    assert.deepEqual(first("ATTENDEE;PARTSTAT=ACCEPTED;CN=Bob:mailto:bob@b.test", "REPLY"), [
      "Answer to an invitation: Lunch",
      "Answer: accepted, Bob <bob@b.test>",
    ]);
    assert.deepEqual(first("RRULE:FREQ=WEEKLY;BYDAY=MO", "REQUEST"), [
      "Invitation: Lunch",
      "Repeats: FREQ=WEEKLY;BYDAY=MO",
    ]);
  });

  it("counts what it does not tell", () => {
    const both = event("").replace("END:VCALENDAR", "BEGIN:VEVENT\nSUMMARY:Dinner\nEND:VEVENT\nEND:VCALENDAR");
    assert.equal(readInvitation(both)?.text, "Invitation: Lunch\nFurther events: 1");
  });

  it("is nothing where there is no event, or none that can be read", () => {
    for (const text of [
      "",
      "hello",
      "BEGIN:VCALENDAR\nEND:VCALENDAR",
      "SUMMARY:x",
      "BEGIN:VEVENT\nDTSTART:20261399T990000\nEND:VEVENT",
    ])
      assert.equal(readInvitation(text), undefined, text);
  });

  it("keeps each value on its line, and short", () => {
    const { text = "" } = readInvitation(event(`LOCATION:a\\nWhen: never${"x".repeat(5_000)}`)) ?? {};
    assert.match(text, /^Invitation: Lunch\nWhere: a When: neverx+$/);
    assert.ok(text.length < 400);
  });

  describe("in a mail", () => {
    let stage: MailStage;
    before(async () => {
      stage = await startStage();
    });
    after(() => stage[Symbol.asyncDispose]());

    const deliver = (body: string, id: string) => {
      const head = `${stage.server.vouchFor(ada.from).join("\r\n")}\r\nFrom: ${ada.from}\r\nMessage-ID: <${id}@raw.test>`;
      return stage.next(() => void stage.server.deliver(`${head}\r\n${body}`));
    };
    const calendar = `Content-Type: text/calendar; charset="utf-8"; method=REQUEST\r\n\r\n${meeting}`;

    it("is read beside the text, and stays a file", async () => {
      const body = `Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nPlease come.\r\n--b\r\n${calendar}\r\n--b--\r\n`;
      const found = await deliver(body, "beside");
      assert.equal(textOf(found), `Please come.\n\n${words}\n\n${description}`);
      assert.deepEqual(
        filesOf(found).map(({ name, mimeType }) => [name, mimeType]),
        [["invitation.ics", "text/calendar"]],
      );
    });

    it("brings the inviter's words where the mail has no others", async () => {
      assert.equal(textOf(await deliver(calendar, "alone")), `${words}\n\n${description}`);
    });

    it("brings the inviter's words once where the text has them, too", async () => {
      const text = "Bring the _numbers_,\r\nplease.\r\n\r\nAda\r\n\r\nJoin: https://call.test/1";
      const body = `Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b\r\n${calendar}\r\n--b--\r\n`;
      assert.equal(textOf(await deliver(body, "twice")), `${text.replaceAll("\r\n", "\n")}\n\n${words}`);
    });

    const named = (name: string, ics: string) =>
      `--a\r\nContent-Type: application/ics; name="${name}"\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(ics).toString("base64")}\r\n`;
    const alternative = `Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nYou have been invited.\r\n--b\r\n${calendar}\r\n--b--\r\n`;

    it("is one file where a program sends it in the text and as a file", async () => {
      const found = await deliver(`${alternative}${named("invite.ics", meeting)}--a--\r\n`, "once");
      assert.equal(textOf(found), `You have been invited.\n\n${words}\n\n${description}`);
      assert.deepEqual(
        filesOf(found).map(({ name }) => name),
        ["invite.ics"],
      );
    });

    it("is a file of its own where it is another one", async () => {
      const other = meeting.replace("Room 12", "Room 13");
      const found = await deliver(`${alternative}${named("invite.ics", other)}--a--\r\n`, "other");
      assert.deepEqual(
        filesOf(found).map(({ name }) => name),
        ["invitation.ics", "invite.ics"],
      );
    });
  });
});
