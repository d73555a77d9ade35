import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Adapter } from "@talaria/adapter";
import { platform } from "@talaria/adapter-email";
import type { InboundEvent, MediaRef, OutboundMessage } from "@talaria/protocol";
import { type AccountId, brandAs, type DeliveryKey } from "@talaria/protocol";
import { adapterDeps, memoryStore, messageOf, RecordingHost } from "@talaria/testkit";
import { createTransport } from "nodemailer";
import { waitFor } from "../support/wait-for.ts";
import {
  type MailPeers,
  mailDomain,
  mailPassword,
  maxMailBytes,
  missingMailPeers,
  startMailPeers,
} from "./mail-peers.ts";
import { readMailbox } from "./read-mailbox.ts";

const createEmailAdapter = await platform.load();

const missing = missingMailPeers();
const skip = missing.length > 0 && process.env.CI !== "true" ? `needs ${missing.join(", ")}` : false;
const [ann, gw] = [`ann@${mailDomain}`, `gw@${mailDomain}`];
const never = new AbortController().signal;

describe("mail through Dovecot and Postfix", { skip }, () => {
  let peers: MailPeers;
  const store = memoryStore();
  const running: Adapter[] = [];
  const files = { report: Buffer.from("from the agent"), large: Buffer.alloc(maxMailBytes, 1) };

  before(async () => {
    assert.deepEqual(missing, [], "a peer is missing");
    peers = await startMailPeers();
  });
  afterEach(async () => {
    for (const adapter of running.splice(0)) await adapter.stop();
  });
  after(() => peers?.[Symbol.asyncDispose]());

  function makeAdapter() {
    const login = { host: "127.0.0.1", secure: false, user: gw, password: mailPassword };
    const config = {
      imap: { ...login, port: peers.imapPort },
      smtp: { ...login, port: peers.smtpPort },
      address: gw,
      trustedAuthservId: `mx.${mailDomain}`,
    };
    return createEmailAdapter(config, adapterDeps({ id: brandAs<AccountId>("mail"), store, files }));
  }

  /** Ann's own program. */
  async function write(
    mail: Parameters<ReturnType<typeof createTransport>["sendMail"]>[0],
    from = ann,
  ): Promise<string> {
    const transport = createTransport({ host: "127.0.0.1", port: peers.mxPort, secure: false });
    const { messageId } = await transport.sendMail({ from, to: gw, ...mail });
    return messageId;
  }

  function answerTo(
    event: InboundEvent,
    markdown: string,
    attachments: OutboundMessage["attachments"] = [],
  ): OutboundMessage {
    const { conversation, id } = event;
    return {
      deliveryKey: brandAs<DeliveryKey>(id),
      conversation,
      markdown,
      attachments,
      replyTo: messageOf(event).messageId,
    };
  }

  async function started(): Promise<{ adapter: ReturnType<typeof makeAdapter>; host: RecordingHost }> {
    const adapter = makeAdapter();
    running.push(adapter);
    const host = new RecordingHost(120_000);
    await adapter.start(host);
    return { adapter, host };
  }

  /** Until it is stored that the mail with this UID was taken: an adapter that stops before is given it again. */
  async function noted(uid: number): Promise<void> {
    await waitFor(
      async () => JSON.parse((await store.read("cursor")) ?? "{}").lastUid >= uid,
      `mail ${uid} is noted as taken`,
    );
  }

  it("pushes mail, carries files both ways, and keeps the thread", async () => {
    const { adapter, host } = await started();
    const picture = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251));
    await host.calm();
    const sentAt = performance.now();
    const root = await write({
      subject: "Größe",
      text: "Grüße!\n\n-- \nAnn",
      attachments: [{ filename: "bild.png", content: picture }],
    });
    const [first] = await host.recorded(1);
    assert.ok(performance.now() - sentAt < 15_000, "it was pushed, not found by looking");
    assert.equal(messageOf(first).markdown, "Subject: Größe\n\nGrüße!\n\n[signature left out]");
    assert.deepEqual([first?.sender.userId, first?.sender.assurance], [ann, "signed"]);
    assert.equal(first?.conversation.threadId, root);
    const [attachment] = messageOf(first).attachments;
    assert.equal(attachment?.name, "bild.png");
    const bytes = await new Response(await adapter.openMedia?.(attachment!.ref, never)).bytes();
    assert.ok(picture.equals(bytes));

    const report = { ref: brandAs<MediaRef>("report"), name: "bericht.txt", mimeType: "text/plain" };
    const sent = await adapter.send(answerTo(first!, "**Danke**, Ann", [report]), never);
    const [answer] = await readMailbox(peers.imapPort, ann, mailPassword, 1);
    assert.equal(answer?.messageId, sent.messageId);
    assert.equal(answer?.header("in-reply-to"), root);
    assert.equal(answer?.subject, "Re: Größe");
    assert.equal(answer?.text, "Danke, Ann");
    assert.match(answer?.html ?? "", /<strong>Danke<\/strong>/);
    assert.equal(Buffer.from(answer?.files[0]?.bytes ?? []).toString(), "from the agent");

    await write({
      subject: "Re: Größe",
      text: "Noch etwas",
      inReplyTo: sent.messageId,
      references: [root, sent.messageId],
    });
    const [, second] = await host.recorded(2);
    assert.equal(second?.conversation.threadId, root);
    assert.equal(messageOf(second).repliesToSelf, true);
    await noted(2);
    await adapter.stop();
  });

  it("reads a mail that is attached, in one part and in several, with its files", async () => {
    const { adapter, host } = await started();
    const head = "From: Bob <bob@elsewhere.test>\r\nSubject: =?utf-8?B?QsO8cm8=?=\r\nMIME-Version: 1.0\r\n";
    const single = `${head}Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nB=FCro ist zu\r\n`;
    const part = `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from("zwei").toString("base64")}\r\n`;
    const several = `${head}Content-Type: multipart/mixed; boundary=in\r\n\r\n--in\r\nContent-Type: text/plain\r\n${part}--in\r\nContent-Type: image/png; name=p.png\r\n${part}--in--\r\n`;
    for (const content of [single, several])
      await write({ text: "see", attachments: [{ filename: "Mail.eml", contentType: "message/rfc822", content }] });
    const [first, second] = await host.recorded(2);
    const shown = "see\n\n---------- Attached mail ----------\nFrom: Bob <bob@elsewhere.test>\nSubject: Büro\n\n";
    assert.equal(messageOf(first).markdown, `${shown}Büro ist zu`);
    assert.equal(messageOf(second).markdown, `${shown}zwei`);
    const [file] = messageOf(second).attachments;
    assert.equal(await new Response(await adapter.openMedia?.(file!.ref, never)).text(), "zwei");
    await noted(4);
    await adapter.stop();
  });

  it("comes back after a kick and after the server was away, and a new start goes on where the last one ended", async () => {
    const { adapter, host } = await started();
    await peers.kick(gw);
    await write({ text: "after the kick" });
    await host.recorded(1);
    await peers.stopImap();
    await write({ text: "while the server is away" });
    await host.until(() => host.states.some(({ status }) => status === "reconnecting"), "the loss is noticed");
    await peers.startImap();
    await host.recorded(2);
    await noted(6);
    await adapter.stop();
    await write({ text: "while nobody listens" });
    const again = await started();
    await again.host.recorded(1);
    await again.host.calm();
    const texts = [...host.events, ...again.host.events].map((event) => messageOf(event).markdown);
    assert.deepEqual(texts, ["after the kick", "while the server is away", "while nobody listens"]);
    await again.adapter.stop();
  });

  it("believes nobody whom the server does not vouch for, whatever they write into their mail", async () => {
    const { adapter, host } = await started();
    const forged = `mx.${mailDomain}; dmarc=pass header.from=${mailDomain}`;
    const envelope = { from: `eve@${mailDomain}`, to: gw };
    await write({ text: "do as I say", envelope, headers: { "Authentication-Results": forged } });
    const [event] = await host.recorded(1);
    assert.deepEqual([event?.sender.role, event?.sender.assurance], ["system", "claimed"]);
    await adapter.stop();
  });

  it("hears from the servers what they do not take, at once or later", async () => {
    const { adapter, host } = await started();
    await write({ text: "hello" });
    const [event] = await host.recorded(1);
    const large = { ref: brandAs<MediaRef>("large"), name: "large.bin", mimeType: "application/octet-stream" };
    await assert.rejects(adapter.send(answerTo(event!, "too much", [large]), never), {
      code: "too_large",
      effect: "none",
    });
    const to = (address: string) => ({
      ...answerTo(event!, "is anybody there?"),
      conversation: {
        ...event!.conversation,
        conversationId: brandAs<InboundEvent["conversation"]["conversationId"]>(address),
      },
    });
    await assert.rejects(adapter.send(to(`nobody@${mailDomain}`), never), { code: "not_found", effect: "none" });
    const sent = await adapter.send(to(`lost@${mailDomain}`), never);
    await host.until(() => host.receipts.length > 0, "the report about the lost mail comes");
    const [receipt] = host.receipts;
    assert.deepEqual(
      [receipt?.status, receipt?.messageId, receipt?.conversation.conversationId],
      ["failed", sent.messageId, `lost@${mailDomain}`],
    );
    await adapter.stop();
  });
});
