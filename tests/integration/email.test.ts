import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type MailServer, startMailServer } from "@talaria/adapter-email/emulator";
import { type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

const ada = "Ada Lovelace <ada@people.test>";

describe("mail through the whole house", () => {
  let mail: MailServer;
  /** A mailbox to which strangers may ask for access. */
  let open: MailServer;
  let model: ModelServer;
  let talaria: Installation;

  before(async () => {
    mail = await startMailServer();
    open = await startMailServer({ address: "open@mail.test" });
    model = await startModelServer({
      respond: (request) => say(`answer to **${request.lastUserText.split("\n").at(-1)}**`),
    });
    const { imap, smtp, address, trustedAuthservId } = mail.settings;
    talaria = await Installation.start({
      database: "shared",
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "mail-test-key", model: test } }
accounts:
  mail:
    platform: email
    address: ${address}
    imap: ${JSON.stringify(imap)}
    smtp: ${JSON.stringify(smtp)}
    trustedAuthservId: ${trustedAuthservId}
    pace: { burst: 20 }
    access: { direct: allowlist, allow: ["email:user:ada@people.test"] }
  open:
    platform: email
    address: ${open.address}
    imap: ${JSON.stringify(open.settings.imap)}
    smtp: ${JSON.stringify(open.settings.smtp)}
    trustedAuthservId: ${trustedAuthservId}
    access: { direct: pairing }
`,
    });
  });
  after(async () => {
    await talaria?.remove();
    await model.stop();
    await mail.stop();
    await open.stop();
  });

  it("answers a mail in its thread, once, as text and HTML, and marks it read", async () => {
    const root = mail.say(ada, "hello", { subject: "First" });
    const answer = await mail.waitForMail("answer to hello");
    assert.deepEqual(answer.to, ["ada@people.test"]);
    assert.equal(answer.header("in-reply-to"), root);
    assert.equal(answer.subject, "Re: First");
    assert.match(answer.html, /answer to <strong>hello<\/strong>/);
    assert.match(model.requests.at(-1)?.lastUserText ?? "", /Subject: First/);
    await waitFor(() => mail.inbox.mails[0]?.flags.has("\\Seen"), "the mail is marked");

    mail.say(ada, "and more", {
      subject: "Re: First",
      inReplyTo: answer.messageId,
      references: [root, answer.messageId],
    });
    const second = await mail.waitForMail("answer to and more");
    assert.match(second.header("references"), new RegExp(`^${root} `));
    assert.ok(JSON.stringify(model.requests.at(-1)).includes("answer to **hello**"), "one thread is one session");
  });

  it("keeps another subject apart", async () => {
    mail.say(ada, "something else", { subject: "Second" });
    await mail.waitForMail("answer to something else");
    assert.ok(!JSON.stringify(model.requests.at(-1)).includes("answer to **hello**"));
  });

  it("answers nobody who is forged, unknown or a machine", async () => {
    const sent = mail.sent().length;
    const asked = model.requestCount();
    mail.say(ada, "forged", { authentic: false });
    mail.say("Eve <eve@people.test>", "a stranger");
    mail.say(ada, "I am away", { headers: ["Auto-Submitted: auto-replied"] });
    mail.say(ada, "the last one");
    await mail.waitForMail("answer to the last one");
    assert.equal(mail.sent().length, sent + 1);
    assert.equal(model.requestCount(), asked + 1);
  });

  it("gives a stranger the pairing notice without having fetched the body, and reads them once they are approved", async () => {
    const asked = model.requestCount();
    open.say("Eve <eve@people.test>", "a secret of mine", { subject: "Hello", html: "<p>a secret of mine</p>" });
    const notice = await open.waitForMail("I only talk to people my owner has let in");
    assert.deepEqual(notice.to, ["eve@people.test"]);
    assert.equal(model.requestCount(), asked);
    assert.deepEqual(
      open.fetched.filter((item) => /BODYSTRUCTURE|BODY\.PEEK\[(?!HEADER\])/.test(item)),
      [],
    );
    const code = /people add ([A-Z0-9-]+)/.exec(notice.text)?.[1] ?? "";
    await talaria.talaria("people", "add", code);
    await open.waitForMail("You're in. Please send your message again: I couldn't keep it.");
    open.say("Eve <eve@people.test>", "and now?");
    await open.waitForMail("answer to and now?");
  });

  it("shows nothing of a stranger's mail to whoever answers it", async () => {
    const strange = mail.say("Bob <bob@people.test>", "PAPAYA", { cc: "ada@people.test" });
    mail.say(ada, "what does Bob say?", { inReplyTo: strange });
    const about = await model.waitForRequest(({ lastUserText }) => lastUserText.includes("what does Bob say?"));
    assert.doesNotMatch(about.lastUserText, /PAPAYA|<quoted/);
  });

  it("holds an answer while there is no room for it, says so, and sends it when there is", async () => {
    const full = { kind: "answer", at: "rcpt", code: 552, text: "5.2.2 mailbox full" } as const;
    for (let n = 0; n < 100; n += 1) mail.failNextSend(full);
    mail.say(ada, "into a full mailbox", { subject: "Full" });
    await waitFor(async () => /answered 552/.test(await talaria.talaria("status")), "the status to say so");
    mail.mendSending();
    await mail.waitForMail("answer to into a full mailbox");
    assert.equal(JSON.parse(await talaria.talaria("status", "--json")).backlog.failedDeliveries, 0);
    const copies = mail.sent().filter(({ text }) => text.includes("into a full mailbox"));
    assert.deepEqual([copies.length, copies[0]?.text.includes("Sent again")], [1, false]);
  });

  it("takes what came while the mailbox was out of reach, once", async () => {
    mail.imap.goOffline();
    mail.say(ada, "in between");
    mail.imap.goOnline();
    await mail.waitForMail("answer to in between");
    assert.equal(mail.sent().filter(({ text }) => text.includes("in between")).length, 1);
  });

  it("carries out a command that stands in a mail", async () => {
    mail.say(ada, "/whoami", { subject: "who am I?" });
    await mail.waitForMail("email:user:ada@people.test");
  });
});
