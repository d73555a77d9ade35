import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type ConversationId, GatewayError, type MediaRef, silentLog } from "@talaria/protocol";
import { createSimulatedClock, RecordingHost } from "@talaria/testkit";
import type { SmtpFault } from "./emulator/index.ts";
import { answerTo, never, startStage, textOf } from "./testing/stage.ts";
import { ada, conversation } from "./testing/world.ts";

const answer = (code: number, text: string, at: "auth" | "mail" | "rcpt" | "data" = "rcpt"): SmtpFault => ({
  kind: "answer",
  at,
  code,
  text,
});

const failures: readonly (readonly [string, SmtpFault, Partial<GatewayError>])[] = [
  ["451 without a reason", answer(451, "4.3.0 local error"), { code: "unavailable", effect: "none" }],
  ["451 after the text", answer(451, "4.3.0 local error", "data"), { code: "unavailable", effect: "none" }],
  ["greylisting", answer(450, "4.2.0 Greylisted for 5 minutes"), { code: "rate_limited", retryAfterMs: 300_000 }],
  ["a limit without a time", answer(421, "4.7.0 too many messages"), { code: "rate_limited", retryAfterMs: 60_000 }],
  ["552 after the text", answer(552, "5.3.4 message too big", "data"), { code: "too_large", effect: "none" }],
  ["552 without a reason", answer(552, "too much"), { code: "too_large", effect: "none" }],
  ["a full mailbox", answer(552, "5.2.2 mailbox full"), { code: "unavailable", effect: "none" }],
  ["a full mailbox after the text", answer(554, "5.2.2 over quota", "data"), { code: "unavailable", effect: "none" }],
  ["a full mailbox, for now", answer(452, "4.2.2 over quota"), { code: "unavailable", effect: "none" }],
  ["a full server", answer(552, "5.3.1 mail system full", "mail"), { code: "unavailable", effect: "none" }],
  ["a full server, for now", answer(452, "insufficient system storage"), { code: "unavailable", effect: "none" }],
  ["a full mailbox in words", answer(552, "exceeded storage allocation"), { code: "unavailable", effect: "none" }],
  ["550 user unknown", answer(550, "5.1.1 user unknown"), { code: "not_found", effect: "none" }],
  ["554 refused by policy", answer(554, "5.7.1 spam", "data"), { code: "forbidden", effect: "none" }],
  ["501 a bad command", answer(501, "5.5.4 what?", "mail"), { code: "invalid_request", effect: "none" }],
  ["535 a bad password", answer(535, "5.7.8 no", "auth"), { code: "unauthorized", effect: "none" }],
  ["454 a login that works later", answer(454, "4.7.0 try later", "auth"), { code: "unavailable", effect: "none" }],
  ["a connection lost before the text", { kind: "cut", at: "rcpt" }, { code: "unavailable", effect: "none" }],
  ["a connection lost after the text", { kind: "cut", at: "after-data" }, { code: "unavailable", effect: "unknown" }],
];

describe("sending mail", () => {
  it("turns each refusal into the right decision, and sends the next mail all the same", async () => {
    await using stage = await startStage();
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    for (const [what, fault, expected] of failures) {
      stage.server.failNextSend(fault);
      const error = await stage.adapter.send(answerTo(event, "secret words"), never).catch((reason: unknown) => reason);
      assert.ok(error instanceof GatewayError, what);
      for (const [key, value] of Object.entries(expected))
        assert.equal(error[key as keyof GatewayError], value, `${what}: ${key}`);
      assert.doesNotMatch(error.message, /secret words|too big|spam/, "neither people's words nor the server's");
    }
    await stage.adapter.send(answerTo(event, "at last"), never);
    await stage.server.waitForMail("at last");
  });

  it("gives a second copy the Message-ID and the Date of the first, so that a server may fold them", async () => {
    const clock = createSimulatedClock(Date.parse("2026-11-24T10:00:00Z"));
    await using stage = await startStage({}, { clock });
    const event = await stage.next(() => void stage.server.say(ada.from, "hi", { receivedAt: new Date(clock.now()) }));
    stage.server.failNextSend({ kind: "cut", at: "after-data" });
    await assert.rejects(stage.adapter.send(answerTo(event, "text"), never), { effect: "unknown" });
    await clock.advance(60_000);
    await stage.adapter.send(answerTo(event, "(again)\n\ntext"), never);
    await clock.advance(60_000);
    await stage.adapter.send(answerTo(event, "later", "later"), never);
    const [first, second, later] = stage.server.sent();
    for (const name of ["message-id", "date"]) assert.equal(first?.header(name), second?.header(name), name);
    assert.notEqual(later?.header("date"), second?.header("date"));
  });

  it("cannot reach a server that is not there: nothing was sent", async () => {
    await using stage = await startStage({ smtp: { host: "127.0.0.1", port: 1, secure: false, password: "x" } });
    const message = { ...answerTo(await stage.next(() => void stage.server.say(ada.from, "hi")), "text") };
    await assert.rejects(stage.adapter.send(message, never), { code: "unavailable", effect: "none" });
  });

  it("never sends a password in the clear to another machine", async (t) => {
    await using stage = await startStage();
    const message = answerTo(await stage.next(() => void stage.server.say(ada.from, "hi")), "text");
    const { imap, smtp } = stage.server.settings;
    // The name leads here, and is none of those by which this machine is known. The server has a certificate of no value.
    const elsewhere = stage.make({ imap: { ...imap, host: "LOCALHOST" }, smtp: { ...smtp, host: "LOCALHOST" } });
    t.after(() => elsewhere.stop());
    await assert.rejects(elsewhere.send(message, never), {
      code: "unavailable",
      effect: "none",
      message: /certificate/,
    });
    assert.equal(stage.server.sent().length, 0);
    const host = new RecordingHost(30_000);
    await assert.rejects(elsewhere.start(host), { code: "invalid_request" });
    const last = host.states.at(-1);
    assert.match(last?.status === "needs-operator" ? last.hint : "", /`imap\.secure`/);
  });

  it("writes text and HTML from one Markdown, and nothing in it can act", async () => {
    await using stage = await startStage();
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    const markdown =
      '# Title\n\nSome **bold** [link](https://example.org/?a=1&b="2) and [bad](javascript:alert(1)) <script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 22 |\n\n```js\nlet x = "<b>";\n```\n\n1. one\n2. two\n   - three\n\n![pixel](https://track.test/x.png)';
    await stage.adapter.send(answerTo(event, markdown), never);
    const [mail] = stage.server.sent();
    assert.match(mail?.text ?? "", /^Title\n\nSome bold link \(https:\/\/example\.org/);
    assert.match(mail?.text ?? "", /a \| b\n--\+---\n1 \| 22/);
    assert.match(mail?.html ?? "", /<h1>Title<\/h1>[\s\S]*<strong>bold<\/strong>[\s\S]*<td [^>]*>22<\/td>/);
    assert.doesNotMatch(mail?.html ?? "", /<script|javascript:alert\(1\)"|<img/);
    assert.match(mail?.header("content-type") ?? "", /^multipart\/alternative/);
  });

  it("keeps every line within what SMTP takes, and dots and From lines whole", async () => {
    await using stage = await startStage();
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    const markdown = `.\n..dots\n\nFrom here\n\n${"ä".repeat(3_000)} 😀 ${"x".repeat(5_000)}`;
    await stage.adapter.send(answerTo(event, markdown), never);
    const [mail] = stage.server.sent();
    assert.ok((mail?.raw ?? "").split("\r\n").every((line) => line.length <= 998));
    assert.ok(mail?.text.includes(`${"ä".repeat(3_000)} 😀 ${"x".repeat(5_000)}`));
    assert.ok(mail?.text.startsWith(".\n..dots\n\nFrom here"));
  });

  it("sends files with their names and types, and refuses what is too large before anything is sent", async () => {
    const files = { report: Buffer.from("a,b\n1,2\n"), picture: Buffer.alloc(3_000, 7), large: Buffer.alloc(20_000) };
    await using stage = await startStage({ limits: { sendBytes: 10_000 } }, { files });
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    const file = (ref: keyof typeof files, name: string, mimeType: string) => ({
      ref: brandAs<MediaRef>(ref),
      name,
      mimeType,
    });
    const attachments = [file("report", "../Größe\r\n.csv", "text/csv"), file("picture", "p.png", "image/png")];
    await stage.adapter.send({ ...answerTo(event, "two files"), attachments }, never);
    const [mail] = stage.server.sent();
    assert.deepEqual(
      mail?.files.map(({ type, bytes }) => [type, bytes.length]),
      [
        ["text/csv", 8],
        ["image/png", 3_000],
      ],
    );
    assert.match(mail?.files[0]?.name ?? "", /^[^/\\\r\n]*Größe[^/\\\r\n]*\.csv$/);
    await stage.adapter.send({ ...answerTo(event, ""), attachments: attachments.slice(0, 1) }, never);
    assert.equal(stage.server.sent().at(-1)?.files.length, 1);
    const large = { ...answerTo(event, "x"), attachments: [file("large", "l.bin", "application/octet-stream")] };
    await assert.rejects(stage.adapter.send(large, never), { code: "too_large", effect: "none" });
    const together = { ...answerTo(event, "x"), attachments: Array.from({ length: 4 }, () => attachments[1]!) };
    await assert.rejects(stage.adapter.send(together, never), { code: "too_large", effect: "none" });
    assert.equal(stage.adapter.capabilities.send?.sharesBytes, true, "so nobody hands over such a mail");
    const many = { ...answerTo(event, "x"), attachments: Array.from({ length: 11 }, () => attachments[0]!) };
    await assert.rejects(stage.adapter.send(many, never), { code: "invalid_request" });
    assert.equal(stage.server.sent().length, 2);
  });

  it("says too_large before sending what the server announces not to take", async () => {
    await using stage = await startStage({}, { files: { f: Buffer.alloc(100) } });
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    await assert.rejects(stage.adapter.send(answerTo(event, "x".repeat(100_001)), never), { code: "too_large" });
    await assert.rejects(stage.adapter.send(answerTo(event, "  \n"), never), { code: "invalid_request" });
  });

  it("takes only one plain address as a conversation", async () => {
    await using stage = await startStage();
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    for (const id of [
      "a@b.test, c@d.test",
      "a@b.test\r\nBcc: c@d.test",
      "Ada <ada@b.test>",
      "nobody",
      "unreadable-author",
      "a@[127.0.0.1]",
    ]) {
      const message = {
        ...answerTo(event, "text"),
        conversation: conversation({ conversationId: brandAs<ConversationId>(id) }),
      };
      await assert.rejects(stage.adapter.send(message, never), { code: "not_found" }, id);
    }
    assert.equal(stage.server.sent().length, 0);
  });

  it("finds what was sent where the server keeps it", async () => {
    await using stage = await startStage({ sentMailbox: "Sent" });
    stage.server.addMailbox("Sent");
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    const message = answerTo(event, "kept");
    const { findSent } = stage.adapter;
    assert.ok(findSent);
    assert.equal(await findSent(message, never), undefined);
    const sent = await stage.adapter.send(message, never);
    stage.server.mailbox("Sent").add(stage.server.sent()[0]?.raw ?? "", new Date());
    assert.equal((await findSent(message, never))?.messageId, sent.messageId);
    assert.equal(await findSent(answerTo(event, "kept", "other"), never), undefined);
  });

  it("keeps a copy where the server keeps none", async () => {
    await using stage = await startStage({ sentMailbox: "Sent", appendSent: true });
    stage.server.addMailbox("Sent");
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    await stage.adapter.send(answerTo(event, "kept"), never);
    assert.deepEqual([...(stage.server.mailbox("Sent").mails[0]?.flags ?? [])], ["\\Seen"]);
    assert.equal(stage.adapter.findSent, undefined, "which may be missing although the mail is there");
  });

  it("is sent when the mailbox is full, which the log names, and mails are read all the same", async () => {
    const lines: string[] = [];
    const log = {
      ...silentLog,
      warn: (fields: object, text: string) => void lines.push(JSON.stringify([fields, text])),
    };
    await using stage = await startStage({ sentMailbox: "Sent", appendSent: true }, { log });
    const { server } = stage;
    server.addMailbox("Sent");
    const full = { kind: "answer", status: "NO", text: "[OVERQUOTA] Quota exceeded" } as const;
    for (const command of ["APPEND", "STORE", "UID STORE"]) server.failImap(command, full, 9);
    const event = await stage.next(() => void server.say(ada.from, "hi"));
    await stage.adapter.send(answerTo(event, "kept"), never);
    assert.equal(server.sent().length, 1);
    assert.match(lines.join("\n"), /OVERQUOTA.*could not be saved/);
    assert.equal(server.mailbox("Sent").mails.length, 0);
    const next = await stage.next(() => void server.say(ada.from, "and this?"));
    assert.equal(textOf(next), "and this?");
  });

  it("is sent even when the copy cannot be kept, and finds nothing where nobody keeps anything", async () => {
    await using stage = await startStage({ sentMailbox: "Missing", appendSent: true });
    const event = await stage.next(() => void stage.server.say(ada.from, "hi"));
    await stage.adapter.send(answerTo(event, "sent"), never);
    await using plain = await startStage();
    assert.equal(plain.adapter.findSent, undefined);
  });
});
