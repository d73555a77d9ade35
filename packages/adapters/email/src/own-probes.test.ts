import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSimulatedClock } from "@talaria/testkit";
import { never, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const minuteMs = 60_000;
const cut = { kind: "cut", at: "after-data" } as const;

describe("finding out whether the mail server takes mails", () => {
  it("sends one mail to itself, which no machine answers", async () => {
    await using stage = await startStage();
    await stage.adapter.probe?.(never);
    const [mail, ...more] = stage.server.sent();
    assert.equal(more.length, 0);
    assert.deepEqual(mail?.to, [stage.server.address]);
    assert.equal(mail?.header("auto-submitted"), "auto-generated");
    assert.match(mail?.text ?? "", /Talaria has sent this mail to itself/);
  });

  it("says that nobody knows when the connection ends after it, and sends one for all who ask at once", async () => {
    await using stage = await startStage();
    stage.server.failNextSend(cut);
    const asked = [1, 2, 3].map(() => stage.adapter.probe?.(never));
    for (const one of await Promise.allSettled(asked))
      assert.equal(one.status === "rejected" && one.reason.code, "unavailable");
    assert.equal(stage.server.sent().length, 1);
  });

  it("takes it away when it comes in, and leaves everything else", async () => {
    await using stage = await startStage();
    await stage.adapter.probe?.(never);
    const [mail] = stage.server.sent();
    const { inbox } = stage.server;
    const forged = mail!.raw.replace(/talaria-probe\.[0-9a-f]+/, `talaria-probe.${"0".repeat(32)}`);
    stage.server.deliver(forged);
    stage.server.deliver(mail!.raw);
    inbox.mails[0]!.flags.add("\\Deleted");
    await stage.next(() => void stage.server.say(ada.from, "hi"));
    assert.deepEqual(
      inbox.mails.map(({ uid }) => uid),
      [1, 3],
    );
    assert.equal(stage.host.events.length, 1, "neither is a message");
  });

  it("is not fooled by what others make of one: it opens nothing, and deletes nobody's mail", async () => {
    await using stage = await startStage();
    const { server, host, adapter } = stage;
    stage.server.failNextSend(cut);
    await assert.rejects(async () => await adapter.probe?.(never), { code: "unavailable" });
    const [mail] = server.sent();
    assert.ok(mail);
    const { address, inbox } = server;
    const id = mail.messageId;
    const guessed = id.replace(/[0-9a-f]{32}/, "f".repeat(32));
    const machine = "Auto-Submitted: auto-generated\r\nX-Loop: talaria";
    const text = "Talaria has sent this mail to itself";
    const head = (from: string, messageId: string) => `From: ${from}\r\nTo: ${address}\r\nMessage-ID: ${messageId}`;
    const forged = [
      // In our name, with an id of their own, and one that is no id at all.
      `${head(address, guessed)}\r\n${machine}\r\n\r\n${text}`,
      `${head(address, "talaria-probe")}\r\n${machine}\r\n\r\n${text}`,
      `${head(address, `${guessed}\r\nMessage-ID: ${id}`)}\r\n\r\n${text}`,
      // With our id in other names, some of which look like ours.
      `${head("Mallory <mallory@people.test>", id)}\r\n${machine}\r\n\r\n${text}`,
      `${head(`"${address}" <mallory@people.test>`, id)}\r\n${machine}\r\n\r\n${text}`,
      `${head(`${address}, mallory@people.test`, id)}\r\n${machine}\r\n\r\n${text}`,
      `${head(`${address}\r\nFrom: mallory@people.test`, id)}\r\n${machine}\r\n\r\n${text}`,
      // Answers to it.
      `${head(address, "<a@people.test>")}\r\nIn-Reply-To: ${id}\r\nReferences: ${id}\r\n\r\n${text}`,
    ];
    for (const raw of forged) server.deliver(raw);
    server.say(ada.from, "mine, with your id", { messageId: id });
    const last = () => host.events.at(-1)?.sender.userId === ada.address;
    await host.until(last, "all of them are looked at");
    const read = host.events.map(textOf).filter((words) => !words.startsWith("[this mail was not read"));
    assert.deepEqual(read, ["mine, with your id"]);
    assert.ok(!host.events.some(({ sender }) => sender.userId === address));
    assert.equal(inbox.mails.length, forged.length + 1, "all of them stay");
    server.failNextSend(cut);
    await assert.rejects(async () => await adapter.probe?.(never), { code: "unavailable" }, "nothing is over");
    // The real one, at last, and a second copy of it.
    server.deliver(mail.raw);
    server.deliver(mail.raw);
    await stage.next(() => void server.say(ada.from, "hi"));
    assert.equal(inbox.mails.filter(({ raw }) => raw === mail.raw).length, 1, "one was taken away");
    assert.equal(server.sent().length, 2, "none was answered");
  });

  it("sends a dozen in a row, and then one in half an hour", async () => {
    const clock = createSimulatedClock(Date.now());
    await using stage = await startStage({}, { clock });
    const tries = async () => {
      stage.server.failNextSend(cut);
      await assert.rejects(async () => await stage.adapter.probe?.(never), { code: "unavailable" });
    };
    for (let n = 0; n < 15; n += 1) await tries();
    assert.equal(stage.server.sent().length, 12);
    await clock.advance(30 * minuteMs);
    for (let n = 0; n < 3; n += 1) await tries();
    assert.equal(stage.server.sent().length, 13);
  });

  it("is not needed where the server keeps what was sent", async () => {
    await using stage = await startStage({ sentMailbox: "Sent" });
    assert.equal(stage.adapter.probe, undefined);
  });
});
