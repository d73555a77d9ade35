import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sessionKeyOf } from "@talaria/protocol";
import { answerTo, type MailStage, never, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const keyOf = ({ conversation, sender }: Awaited<ReturnType<MailStage["next"]>>) =>
  sessionKeyOf(conversation, sender, "thread");
const eve = "Eve <eve@elsewhere.test>";

interface MachineMail {
  readonly headers?: readonly string[];
  readonly from?: string;
  readonly returnPath?: string;
  readonly isPerson?: true;
}

const machineMail: readonly MachineMail[] = [
  { headers: ["Auto-Submitted: auto-replied"] },
  { headers: ["Auto-Submitted: auto-generated (vacation)"] },
  { headers: ["X-Auto-Response-Suppress: OOF"] },
  { headers: ["Precedence: bulk"] },
  { headers: ["List-Id: everyone <everyone.lists.test>"] },
  { returnPath: "Return-Path: <>" },
  { from: "Mail Delivery System <MAILER-DAEMON@people.test>" },
  { from: "Shop <no-reply@people.test>" },
  { headers: ["X-Loop: talaria"] },
  { headers: ["Auto-Submitted: no"], isPerson: true },
  { headers: ["X-Auto-Response-Suppress: None"], isPerson: true },
  { headers: ["Precedence: normal"], isPerson: true },
];

describe("loops, floods and threads", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const { headers = [], from = ada.from, returnPath, isPerson = false } of machineMail)
    it(`D11 ${isPerson ? "hears" : "only notes"} ${[...headers, returnPath, from === ada.from ? "" : from].join("")}`, async () => {
      const top = stage.server
        .vouchFor(from)
        .map((field) => (field.startsWith("Return-Path") && returnPath ? returnPath : field));
      const { sender } = await stage.next(() => void stage.server.say(from, "I am away", { headers, top }));
      assert.equal(sender.role, isPerson ? "person" : "system");
      assert.equal(sender.assurance, isPerson ? "signed" : "claimed");
    });

  it("D12 two of us end after one mail", async () => {
    await using other = await startStage();
    const event = await stage.next(
      () => void stage.server.say(`Other <${other.server.address.replace("gw@", "other@")}>`, "hello"),
    );
    await stage.adapter.send(answerTo(event, "hello yourself"), never);
    const sent = stage.server.sent().at(-1);
    assert.equal(sent?.header("auto-submitted"), "auto-replied");
    assert.equal(sent?.header("x-loop"), "talaria");
    assert.equal(sent?.to[0], "other@mail.test");
    const raw = `${other.server.vouchFor(stage.server.address).join("\r\n")}\r\n${sent?.raw}`;
    const noted = await other.next(() => void other.server.deliver(raw.replaceAll("gw@mail.test", "first@mail.test")));
    assert.equal(noted.sender.role, "system");
  });

  it("D13 of 60 mails in a minute, the first few are threads of their own and the rest share one", async () => {
    await using flooded = await startStage({ limits: { threadsPerHour: 5 } });
    for (let n = 0; n < 60; n += 1) flooded.server.say(ada.from, `mail ${n}`);
    await flooded.host.recorded(60);
    assert.equal(new Set(flooded.host.events.map(keyOf)).size, 6);
    assert.equal(new Set(flooded.host.events.map(({ id }) => id)).size, 60, "nothing is lost");
    const stranger = await flooded.next(() => void flooded.server.say(eve, "me too"));
    assert.ok(!flooded.host.events.slice(0, 60).some((event) => keyOf(event) === keyOf(stranger)));
  });

  it("D14 nobody joins somebody else's thread", async () => {
    const event = await stage.next(() => void stage.server.say(ada.from, "a secret", { subject: "Plans" }));
    const sent = await stage.adapter.send(answerTo(event, "kept"), never);
    const root = String(event.conversation.threadId);
    const intruder = await stage.next(
      () =>
        void stage.server.say(eve, "what was it?", { inReplyTo: sent.messageId, references: [root, sent.messageId] }),
    );
    assert.notEqual(keyOf(intruder), keyOf(event));
    const guesser = await stage.next(() => void stage.server.say(eve, "and now?", { inReplyTo: sent.messageId }));
    assert.notEqual(keyOf(guesser), keyOf(event));
    await stage.adapter.send(answerTo(intruder, "who are you?"), never);
    assert.deepEqual(stage.server.sent().at(-1)?.to, ["eve@elsewhere.test"]);
  });

  it("D15 two subjects are two sessions", async () => {
    const first = await stage.next(() => void stage.server.say(ada.from, "one", { subject: "First" }));
    const second = await stage.next(() => void stage.server.say(ada.from, "two", { subject: "Second" }));
    assert.notEqual(keyOf(first), keyOf(second));
  });

  it("D18 refuses a subject that would begin another header", async () => {
    const event = await stage.next(() => void stage.server.say(ada.from, "hi", { subject: "Hi" }));
    const count = stage.server.sent().length;
    for (const title of ["Hi\r\nBcc: x@evil.test", "Hi\nBcc: x@evil.test", "Hi\u0000", "Hi\u2028Bcc: x@evil.test"]) {
      const message = { ...answerTo(event, "text"), conversation: { ...event.conversation, title } };
      await assert.rejects(stage.adapter.send(message, never), { code: "invalid_request" });
    }
    assert.equal(stage.server.sent().length, count);
    await stage.adapter.send(answerTo(event, "Bcc: x@evil.test\r\n\r\nin the text is only text"), never);
    assert.equal(stage.server.sent().at(-1)?.header("bcc"), "");
  });

  it("D20 answers the sender alone, whoever else got the mail", async () => {
    const cc = Array.from({ length: 50 }, (_, n) => `stranger${n}@other.test`).join(", ");
    const event = await stage.next(() => void stage.server.say(ada.from, "reply to all, please", { cc }));
    assert.equal(event.conversation.kind, "direct");
    assert.match(textOf(event), /also sent to stranger0@other\.test.* and 40 more; an answer goes to the sender alone/);
    await stage.adapter.send(answerTo(event, "done"), never);
    assert.deepEqual(stage.server.sent().at(-1)?.to, [ada.address]);
    assert.equal(stage.server.sent().at(-1)?.header("cc"), "");
  });
});
