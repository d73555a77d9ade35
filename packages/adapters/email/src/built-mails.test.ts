import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { answerTo, type MailStage, never, startStage } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const gw = "gw@mail.test";
const mime = "MIME-Version: 1.0\n";
const utf8 = "charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";
const html = (text: string) => `${mime}Content-Type: text/html; ${utf8}${text}\n`;
const both = (plain: string, text: string) =>
  `${mime}Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; ${utf8}${plain}\n--b\nContent-Type: text/html; ${utf8}${text}\n--b--\n`;
const picture =
  "Content-Type: image/jpeg; name=IMG.jpeg\nContent-Disposition: inline; filename=IMG.jpeg\nContent-Transfer-Encoding: base64\n\n/9j/4AAQ\n";
const answer = (own: string) => `Subject: Re: Screws\nIn-Reply-To: ${own}\nReferences: <root@people.test> ${own}\n`;
const answered = "Fine with me.\n\nPlease order three.\n\n[earlier messages left out]";
const outlookHead = (from: string, subject: string) =>
  `<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri" style="font-size:11pt" color="#000000"><b>From:</b> ${from}<br><b>Sent:</b> Monday, November 2, 2026 10:00 AM<br><b>To:</b> Ada Lovelace &lt;ada@people.test&gt;<br><b>Subject:</b> ${subject}</font><div>&nbsp;</div></div>`;

interface Built {
  readonly head: string;
  readonly body: string;
  readonly shown: string;
  readonly from?: string;
}

/** As these programs build them: their parts, their tags, what they add. */
const mails: Readonly<Record<string, (own: string) => Built>> = {
  "Outlook on the web, an answer": (own) => ({
    head: answer(own),
    body: html(
      `<html><head><style type="text/css" style="display:none;"> P {margin-top:0;} </style></head><body dir="ltr"><div class="elementToProof" style="font-family: Aptos; font-size: 12pt;">Fine with me.</div><div class="elementToProof"><br></div><div class="elementToProof">Please order three.</div>${outlookHead(`Talaria &lt;${gw}&gt;`, "Re: Screws")}<div>How many do we need?</div></body></html>`,
    ),
    shown: answered,
  }),
  "Outlook on the web, passed on": () => ({
    head: "Subject: Fw: Offer\n",
    body: html(
      `<html><body dir="ltr"><div>What do you think?</div>${outlookHead("Bob Brown &lt;bob@works.test&gt;", "Offer")}<div>The price is 12 EUR.</div></body></html>`,
    ),
    shown:
      "Subject: Fw: Offer\n\nWhat do you think?\nFrom: Bob Brown <bob@works.test>\nSent: Monday, November 2, 2026 10:00 AM\nTo: Ada Lovelace <ada@people.test>\nSubject: Offer\nThe price is 12 EUR.",
  }),
  "Gmail on a phone": (own) => ({
    head: answer(own),
    body: both(
      `Fine with me.\n\nPlease order three.\n\nOn Mon, 2 Nov 2026, 10:00 Talaria, <${gw}> wrote:\n\n> How many do we need?\n>\n> The shop closes at noon.\n>\n`,
      '<div dir="auto">Fine with me.</div>',
    ),
    shown: answered,
  }),
  "Apple Mail, a picture between the words": () => ({
    head: "Subject: Roof\n",
    body: `${mime}Content-Type: multipart/alternative; boundary=a\n\n--a\nContent-Type: text/plain; charset=us-ascii\n\nbefore\n\n\nafter\n--a\nContent-Type: multipart/mixed; boundary=i\n\n--i\nContent-Type: text/html\n\n<html><body>before<br></body></html>\n--i\n${picture}--i\nContent-Type: text/html\n\n<html><body>after</body></html>\n--i--\n--a--\n`,
    shown: "Subject: Roof\n\nbefore\n\n\nafter",
  }),
  "Mail on an iPhone, a picture between the words": () => ({
    head: "Subject: Roof\n",
    body: `${mime}Content-Type: multipart/mixed; boundary=i\n\n--i\nContent-Type: text/plain; ${utf8}before\n--i\n${picture}--i\nContent-Type: text/plain; ${utf8}after\n\nSent from my iPhone\n--i--\n`,
    shown: "Subject: Roof\n\nbefore\n\nafter",
  }),
  "Yahoo, HTML alone": (own) => ({
    head: answer(own),
    body: html(
      `<html><body><div class="ydp1yahoo-style-wrap"><div dir="ltr" data-setdir="false">Fine with me.</div><div><br></div><div dir="ltr">Please order three.</div></div><div id="yahoo_quoted_1" class="yahoo_quoted"><div><div>On Monday, November 2, 2026 at 10:00:00 AM GMT+1, Talaria &lt;${gw}&gt; wrote: </div><div><br></div><div><div id="yiv1"><div>How many do we need?</div></div></div></div></div></body></html>`,
    ),
    shown: answered,
  }),
  "GMX, HTML alone": (own) => ({
    head: answer(own).replace("Re:", "Aw:"),
    body: html(
      `<html><body><div style="font-family: Verdana;"><div>Fine with me.</div><div><br></div><div>Please order three.<div>&nbsp;<div name="quote" style="border-left:2px solid #C3D9E5;"><div style="margin:0 0 10px 0;"><b>Gesendet:</b>&nbsp;Montag, 02. November 2026 um 10:00 Uhr<br/><b>Von:</b>&nbsp;Talaria &lt;${gw}&gt;<br/><b>An:</b>&nbsp;&quot;Ada&quot; &lt;ada@people.test&gt;<br/><b>Betreff:</b>&nbsp;Re: Screws</div><div name="quoted-content"><div>How many do we need?</div></div></div></div></div></div></body></html>`,
    ),
    shown: answered,
  }),
  "Proton Mail": (own) => ({
    head: answer(own),
    body: both(
      `Fine with me.\n\nPlease order three.\n\nSent with [Proton Mail](https://proton.me/mail/home) secure email.\n\nOn Monday, November 2nd, 2026 at 10:00, Talaria <${gw}> wrote:\n\n> How many do we need?\n> \n> The shop closes at noon.`,
      "<div>Fine with me.</div>",
    ),
    shown: answered,
  }),
  "a calendar's answer, without any words": () => ({
    head: "Subject: Declined: Roof meeting\n",
    body: `${mime}Content-Type: text/calendar; charset=utf-8; method=REPLY\n\nBEGIN:VCALENDAR\nVERSION:2.0\nMETHOD:REPLY\nBEGIN:VEVENT\nDTSTART:20261105T090000Z\nDTEND:20261105T100000Z\nORGANIZER;CN=Talaria:mailto:${gw}\nUID:abc@calendar.test\nATTENDEE;PARTSTAT=DECLINED;CN=Ada Lovelace:mailto:ada@people.test\nSUMMARY:Roof meeting\nEND:VEVENT\nEND:VCALENDAR\n`,
    shown: `Subject: Declined: Roof meeting\n\nAnswer to an invitation: Roof meeting\nWhen: Thu 2026-11-05 09:00 to 10:00, UTC\nOrganizer: Talaria <${gw}>\nAnswer: declined, Ada Lovelace <ada@people.test>`,
  }),
  "a report about somebody else's mail": () => ({
    head: "Subject: Undelivered Mail Returned to Sender\nAuto-Submitted: auto-replied\n",
    body: `${mime}Content-Type: multipart/report; report-type=delivery-status; boundary=r\n\n--r\nContent-Type: text/plain\n\nSorry\n--r\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; works.test\n\nFinal-Recipient: rfc822; bob@works.test\nAction: failed\nStatus: 5.1.1\n--r--\n`,
    from: "MAILER-DAEMON@works.test",
    shown: "Undelivered Mail Returned to Sender\n\n[this mail was not read: auto_submitted]",
  }),
};

describe("a mail as a program builds it", () => {
  let stage: MailStage;
  let own: string;
  before(async () => {
    stage = await startStage();
    const { server, adapter } = stage;
    const first = await stage.next(
      () => void server.say(ada.from, "How many screws?", { subject: "Screws", messageId: "<root@people.test>" }),
    );
    own = (await adapter.send(answerTo(first, "How many do we need?\n\nThe shop closes at noon."), never)).messageId;
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const [n, [name, build]] of Object.entries(mails).entries())
    it(`is read as it was meant: ${name}`, async () => {
      const { server } = stage;
      const { head, body, shown, from = ada.from } = build(own);
      const raw = `${server.vouchFor(from).join("\n")}\nFrom: ${from}\nTo: ${server.address}\nMessage-ID: <built-${n}@people.test>\n${head}${body}`;
      const bytes = Buffer.from(raw.replace(/\r?\n/g, "\r\n"), "utf8").toString("latin1");
      const event = await stage.next(() => void server.deliver(bytes));
      assert.equal(messageOf(event).markdown, shown);
    });
});
