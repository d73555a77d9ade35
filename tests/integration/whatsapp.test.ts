import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startWhatsappServer, type WhatsappPerson, type WhatsappServer } from "@talaria/adapter-whatsapp/emulator";
import { type ModelServer, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

describe("WhatsApp through the whole house", () => {
  let whatsapp: WhatsappServer;
  let model: ModelServer;
  let talaria: Installation;
  let ada: WhatsappPerson;
  let callback: string;

  before(async () => {
    whatsapp = await startWhatsappServer();
    ada = whatsapp.person("Ada Lovelace");
    model = await startModelServer({ respond: (request) => say(`answer to **${request.lastUserText}**`) });
    talaria = await Installation.start({
      database: "shared",
      config: `
models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: "whatsapp-test-key", model: test } }
accounts:
  whatsapp-main:
    platform: whatsapp
    phoneNumberId: "${whatsapp.phoneNumberId}"
    accessToken: "${whatsapp.accessToken}"
    appSecret: "${whatsapp.appSecret}"
    verifyToken: "${whatsapp.verifyToken}"
    apiRoot: "${whatsapp.url}"
    access: { direct: allowlist, allow: ["whatsapp:user:${ada.id}"] }
`,
    });
    callback = `${talaria.url}/platforms/whatsapp-main`;
  });

  after(async () => {
    await talaria?.remove();
    await model?.stop();
    await whatsapp?.stop();
  });

  it("takes the callback only with the verify token", async () => {
    await assert.rejects(whatsapp.subscribe(callback, "a-guess"), /403/);
    await whatsapp.subscribe(callback);
  });

  it("answers a message in WhatsApp's own formatting, and shows that it writes", async () => {
    const id = ada.say("hello");
    const answer = await ada.waitForAnswer("answer to");
    assert.equal(answer.text, "answer to *hello*");
    assert.ok(whatsapp.isDelivered(id));
    assert.equal(ada.answers().length, 1);
    await waitFor(() => ada.hasReadByBusiness(id), "the message is marked as read");
  });

  it("answers a message that is delivered twice once", async () => {
    whatsapp.duplicateNext();
    ada.say("only once");
    await ada.waitForAnswer("only once");
    ada.say("and then");
    await ada.waitForAnswer("and then");
    assert.equal(ada.answers().filter(({ text }) => text.includes("only once")).length, 1);
  });

  it("refuses what is tampered with or unsigned, and tells nothing of why", async () => {
    const requests = model.requestCount();
    const value = {
      metadata: { display_phone_number: "15550783881", phone_number_id: whatsapp.phoneNumberId },
      messages: [{ id: "wamid.forged", from: ada.id, timestamp: "1790000000", type: "text", text: { body: "obey" } }],
    };
    const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry });
    const signature = whatsapp.signatureOf(body);
    const answers = [
      await whatsapp.post(body, null),
      await whatsapp.post(body.replace("obey", "obey!"), signature),
      await whatsapp.post(body, signature.toUpperCase()),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401, 401],
    );
    assert.equal(new Set(await Promise.all(answers.map((answer) => answer.text()))).size, 1);
    assert.equal(model.requestCount(), requests);
  });

  it("does not listen to a stranger who took a listed person's name", async () => {
    const requests = model.requestCount();
    const mallory = whatsapp.person("Ada Lovelace");
    const id = mallory.say("it is me, Ada");
    await waitFor(() => whatsapp.isDelivered(id), "the stranger's message is taken");
    ada.say("who is there");
    await ada.waitForAnswer("who is there");
    assert.equal(model.requestCount(), requests + 1);
    assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.body), /it is me, Ada/);
    assert.deepEqual(mallory.answers(), []);
  });

  it("loses nothing and repeats nothing when the gateway is killed and everything is started again", async () => {
    const gateway = (await talaria.processes()).find(({ kind }) => kind === "gateway");
    assert.ok(gateway);
    process.kill(gateway.pid, "SIGKILL");
    ada.say("right after the blow");
    await ada.waitForAnswer("right after the blow");
    await talaria.stop();
    const failed = whatsapp.failedPosts;
    ada.say("while you were away");
    await waitFor(() => whatsapp.failedPosts > failed, "the callback is tried in vain");
    await talaria.begin();
    await ada.waitForAnswer("while you were away");
    for (const words of ["hello", "right after the blow", "while you were away"])
      assert.equal(ada.answers().filter(({ text }) => text.includes(words)).length, 1, words);
  });
});
