import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { answerTo, filesOf, type MailStage, never, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const report = (messageId: string, action: string, recipient: string = ada.address) =>
  [
    "Return-Path: <>",
    "Received: from mx.people.test by mx.mail.test with ESMTP id 1",
    "From: MAILER-DAEMON@mx.people.test",
    "To: gw@mail.test",
    `Message-ID: <report.${action}.${recipient}@mx.people.test>`,
    "Auto-Submitted: auto-replied",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "",
    "I could not deliver your mail with secret words.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.people.test",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 secret words",
    "",
    "--b",
    "Content-Type: text/rfc822-headers",
    "",
    `Message-ID: ${messageId}`,
    "Subject: secret words",
    "--b--",
    "",
  ].join("\r\n");

/** A mail of ours that is on its way. */
async function sentMail(stage: MailStage) {
  const event = await stage.next(() => void stage.server.say(ada.from, "hello", { subject: "Hi" }));
  return { event, sent: await stage.adapter.send(answerTo(event, "secret words"), never) };
}

describe("reports about mail of ours", () => {
  it("become receipts, name the thread, and tell nothing of the text", async () => {
    await using stage = await startStage();
    const { event, sent } = await sentMail(stage);
    await stage.host.until(
      () => stage.server.inbox.mails[0]?.flags.has("\\Seen") ?? false,
      "the first mail is settled",
    );
    stage.server.deliver(report(sent.messageId, "failed"));
    await stage.host.until(() => stage.host.receipts.length === 1, "the receipt comes");
    const [receipt] = stage.host.receipts;
    assert.equal(receipt?.status, "failed");
    assert.equal(receipt?.messageId, sent.messageId);
    assert.equal(receipt?.conversation.threadId, event.conversation.threadId);
    assert.equal(receipt?.conversation.conversationId, ada.address);
    assert.match(receipt?.reason ?? "", /5\.1\.1/);
    assert.doesNotMatch(JSON.stringify(receipt), /secret/);
    stage.server.deliver(report(sent.messageId, "delivered"));
    await stage.host.until(() => stage.host.receipts.length === 2, "the second receipt comes");
    assert.equal(stage.host.receipts[1]?.status, "delivered");
    assert.equal(stage.host.events.length, 1, "a report is no message");
  });

  it("about mail of somebody else, or without an end, are only noted", async () => {
    await using stage = await startStage();
    const { sent } = await sentMail(stage);
    for (const raw of [
      report("<somebody.elses@mail.test>", "failed"),
      report(sent.messageId, "delayed"),
      report("", "failed", "x"),
    ]) {
      const { sender } = await stage.next(() => void stage.server.deliver(raw));
      assert.deepEqual([sender.role, sender.assurance], ["system", "claimed"]);
    }
    assert.equal(stage.host.receipts.length, 0);
  });
});

describe("files that came with a mail", () => {
  it("open again and again, also after a restart, and end when nobody reads on", async () => {
    await using stage = await startStage();
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251));
    const event = await stage.next(
      () => void stage.server.say(ada.from, "look", { files: [{ name: "a.bin", bytes }] }),
    );
    const [file] = filesOf(event);
    await stage.adapter.stop();
    const again = stage.make();
    for (let time = 0; time < 2; time += 1)
      assert.ok(bytes.equals(await new Response(await again.openMedia?.(file!.ref, never)).bytes()));
    const unread = await again.openMedia?.(file!.ref, never);
    await unread?.cancel();
    await stage.host.until(() => stage.server.imap.connections === 0, "no connection is left");
  });

  it("are not found when the mail is gone or the reference is none", async () => {
    await using stage = await startStage();
    const event = await stage.next(
      () => void stage.server.say(ada.from, "look", { files: [{ name: "a", bytes: Buffer.from("x") }] }),
    );
    const { ref } = filesOf(event)[0]!;
    stage.server.inbox.remove(new Set([1]));
    for (const each of [
      ref,
      brandAs<MediaRef>("x"),
      brandAs<MediaRef>("1 2 3\r\nA LOGOUT <x>"),
      brandAs<MediaRef>(`${ref}x`),
    ])
      await assert.rejects(stage.adapter.openMedia?.(each, never) ?? Promise.resolve(), { code: "not_found" }, each);
  });

  it("come with HTML-only mail, and with pictures inside the text", async () => {
    await using stage = await startStage();
    const event = await stage.next(
      () =>
        void stage.server.deliver(
          `${stage.server.vouchFor(ada.from).join("\r\n")}\r\nFrom: ${ada.from}\r\nMessage-ID: <html@people.test>\r\nContent-Type: multipart/related; boundary=r\r\n\r\n--r\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>Gr=FC=DFe <img src=3D"cid:1" alt=3D"Bild"></p>\r\n--r\r\nContent-Type: image/png; name="=?utf-8?B?${Buffer.from("Größe.png").toString("base64")}?="\r\nContent-ID: <1>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\n--r--\r\n`,
        ),
    );
    assert.equal(textOf(event), "Grüße [Bild]");
    assert.deepEqual(
      filesOf(event).map(({ kind, mimeType, name }) => [kind, mimeType, name]),
      [["image", "image/png", "Größe.png"]],
    );
    assert.deepEqual(
      [...(await new Response(await stage.adapter.openMedia?.(filesOf(event)[0]!.ref, never)).bytes())],
      [0, 1, 2],
    );
  });

  const charsets: readonly (readonly [string, Buffer, string])[] = [
    ["windows-1252", Buffer.from([0x80, 0x20, 0xe4]), "€ ä"],
    ["iso-2022-jp", Buffer.from("\u001b$B$3$s\u001b(B", "latin1"), "こん"],
    ["gb18030", Buffer.from([0xc4, 0xe3]), "你"],
    ["koi8-r", Buffer.from([0xf0, 0xd2]), "Пр"],
    ["x-nobody-knows", Buffer.from("plain"), "plain"],
  ];
  it("has its text in whatever charset", async () => {
    await using stage = await startStage();
    for (const [charset, bytes, text] of charsets) {
      const head = `${stage.server.vouchFor(ada.from).join("\r\n")}\r\nFrom: ${ada.from}\r\nMessage-ID: <${charset}@people.test>`;
      const raw = `${head}\r\nContent-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString("base64")}`;
      assert.equal(textOf(await stage.next(() => void stage.server.deliver(raw))), text, charset);
    }
  });
});
