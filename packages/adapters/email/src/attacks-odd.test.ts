import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { checkEvent, messageOf, startTrap } from "@talaria/testkit";
import { writeMail } from "./emulator/index.ts";
import { type MailStage, startStage, textOf } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

interface Row {
  readonly messageId?: string;
  readonly from?: string;
  readonly headers?: readonly string[];
  readonly text?: string;
  readonly html?: string;
  readonly check: (event: InboundEvent) => void;
}

const isAdas = ({ sender }: InboundEvent) => assert.equal(sender.userId, ada.address);

const attacks: Readonly<Record<string, Row>> = {
  "J08 a Message-ID with a zero character": {
    messageId: "<a\u0000b@raw.test>",
    check: (event) => assert.match(messageOf(event).messageId, /@missing\.invalid>$/),
  },
  "J08 a Message-ID of ten thousand characters": {
    messageId: `<${"a".repeat(10_000)}@raw.test>`,
    check: (event) => assert.match(messageOf(event).messageId, /@missing\.invalid>$/),
  },
  "J08 no Message-ID": {
    messageId: "",
    check: (event) => assert.match(messageOf(event).messageId, /@missing\.invalid>$/),
  },
  "J08 references with control characters": {
    headers: ["In-Reply-To: <x\u0007y@raw.test>", `References: ${"<r@raw.test> ".repeat(1_000)}<\u0000@raw.test>`],
    check: (event) => assert.equal(event.conversation.threadId, "<r@raw.test>"),
  },
  "J08 styles that every object has": {
    html: '<p style="constructor: 1; __proto__: 2; toString: 3">Good &constructor; &toString; day</p>',
    check: (event) => assert.match(textOf(event), /^Good &constructor; &toString; day/),
  },
  "A06 a name that turns around, of a megabyte": {
    from: `"${"\u202EOwner".repeat(200)}" <${ada.address}>`,
    check: ({ sender }) => assert.ok(sender.displayName.length <= 80),
  },
  "J10 a date beyond all times": {
    headers: ["Date: Fri, 31 Dec 275760 23:59:59 +0000"],
    check: ({ occurredAt }) => assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 86_400_000),
  },
  "J03 half a letter in numbers, and a zero character": {
    html: "<p>a&#0;b&#xD800;c</p>",
    check: isAdas,
  },
  "J04 three hundred levels of quotes and forty thousand tags": {
    text: `${">".repeat(300)} deep\n\nhello`,
    html: `${"<div>".repeat(40_000)}hello${"</div>".repeat(40_000)}`,
    check: isAdas,
  },
};

describe("odd mail", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  for (const [name, { check, messageId, from = ada.from, headers = [], ...parts }] of Object.entries(attacks))
    it(`${name}: is what it is, and the next one comes`, async () => {
      const body = "html" in parts ? parts : { text: "hello", ...parts };
      const id = messageId ?? `<${name.replaceAll(/\W/g, "")}@raw.test>`;
      const mail = { from, to: stage.server.address, top: stage.server.vouchFor(ada.from), headers, ...body };
      const event = await stage.next(() => void stage.server.deliver(writeMail({ ...mail, messageId: id })));
      checkEvent(event);
      check(event);
      assert.equal(textOf(await stage.next(() => void stage.server.say(ada.from, "next"))), "next");
    });

  it("F03 nothing that a mail links to is fetched", async () => {
    await using trap = await startTrap();
    const html = [
      `<p>see</p><img src="${trap.url}/pixel"><link rel="stylesheet" href="${trap.url}/css">`,
      `<iframe src="${trap.url}/frame"></iframe><style>@import url(${trap.url}/style)</style>`,
      `<object data="${trap.url}/object"></object><body background="${trap.url}/back">`,
    ].join("");
    const event = await stage.next(() => void stage.server.say(ada.from, "see", { html }));
    await stage.next(() => void stage.server.say(ada.from, "after"));
    assert.equal(event.sender.userId, ada.address);
    assert.deepEqual(trap.visits, []);
  });
});
