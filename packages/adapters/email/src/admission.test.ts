import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { writeMail } from "./emulator/index.ts";
import { type MailStage, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const eve = "Eve <eve@people.test>";

describe("a mail of somebody who may not be heard", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
    stage.host.allows = ({ sender }) => sender.userId === ada.address;
  });
  after(() => stage[Symbol.asyncDispose]());

  const fetchedOf = (mail: number) => stage.server.fetched.filter((item) => item.startsWith(`${mail} `));

  it("is handed over with its sender, and nothing but its head was fetched", async () => {
    const event = await stage.next(
      () => void stage.server.say(eve, "let me in", { subject: "Hello", html: "<a ".repeat(80_000) }),
    );
    assert.deepEqual(
      [event.sender.userId, event.sender.role, event.sender.assurance],
      ["eve@people.test", "person", "signed"],
    );
    assert.equal(event.conversation.conversationId, "eve@people.test");
    assert.equal(textOf(event), "Hello\n\n[this mail was not read: its sender may not be heard here yet]");
    assert.equal(event?.type === "message.created" && event.message.withheld, true);
    assert.deepEqual(messageOf(event).attachments, []);
    for (const item of fetchedOf(1))
      assert.match(item, /^1 (?:UID|RFC822\.SIZE|INTERNALDATE|BODY\.PEEK\[HEADER\]<0\.131072>)$/);
  });

  it("is not read either where it looks like a report", async () => {
    const raw = writeMail({
      from: eve,
      to: stage.server.address,
      messageId: "<r@people.test>",
      text: "let me in",
      top: stage.server.vouchFor(eve),
    });
    const report = raw.replace(/^Content-Type: .*$/im, "Content-Type: multipart/report; boundary=b");
    const event = await stage.next(() => void stage.server.deliver(report));
    assert.match(textOf(event), /not read/);
    assert.ok(!fetchedOf(2).some((item) => /BODY\.PEEK\[\d/.test(item)), fetchedOf(2).join("\n"));
  });

  it("is read once they are let in", async () => {
    stage.host.allows = () => true;
    assert.equal(textOf(await stage.next(() => void stage.server.say(eve, "thank you"))), "thank you");
  });

  it("waits while nobody can say who may be heard", async () => {
    let isAway = true;
    stage.host.allows = () => {
      if (isAway) throw new Error("the store is away");
      return true;
    };
    stage.server.say(ada.from, "still there?");
    await stage.host.until(() => stage.host.states.some(({ status }) => status === "reconnecting"), "it tries again");
    isAway = false;
    await stage.host.until(() => stage.host.events.some((event) => textOf(event) === "still there?"), "it is read");
  });
});
