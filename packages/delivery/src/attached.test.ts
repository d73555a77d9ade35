import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brandAs,
  type Choice,
  GatewayError,
  type MediaRef,
  type OutboundAttachment,
  silentLog,
} from "@talaria/protocol";
import type { OutboxRow } from "@talaria/store";
import { createSimulatedClock } from "@talaria/testkit";
import { addLanguage } from "@talaria/words";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { partsOf } from "./parts.ts";
import { type CapabilityChanges, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

function file(name: string, byteLength = 10): OutboundAttachment {
  return { name, byteLength, mimeType: "text/plain", ref: brandAs<MediaRef>(`sha256:${name}`) };
}

function choice(id: string, label = id): Choice {
  return { id, label };
}

const send = { maxBytes: 1_000, maxPerMessage: 1, maxCaptionLength: 1_000 };

const conversation = { kind: "direct" };
const groupOf = () => ({ kind: "group" }) as OutboxRow["conversation"];

async function partsFor(text: Partial<OutboxRow>, capabilities: CapabilityChanges = {}, isShown = false) {
  const adapter = new TestPlatform(createSimulatedClock(), capabilities);
  const row = { conversation, markdown: "", attachments: [], ...text } as unknown as Parameters<typeof partsOf>[0];
  const parts = await partsOf(row, adapter, isShown, async () => undefined);
  return parts.map(({ markdown, attachments, choices }) => ({
    markdown,
    files: attachments.map(({ name }) => name),
    ...(choices === undefined ? {} : { labels: choices.map(({ label }) => label) }),
  }));
}

describe("what a reply becomes on a platform", () => {
  it("puts a short text below the first files, and the others into further messages", async () => {
    const attachments = ["a", "b", "c"].map((name) => file(name));
    assert.deepEqual(await partsFor({ markdown: "all three", attachments }, { send: { ...send, maxPerMessage: 2 } }), [
      { markdown: "all three", files: ["a", "b"] },
      { markdown: "", files: ["c"] },
    ]);
  });

  it("keeps kinds apart where files are shown as an album, and bounds it", async () => {
    const typed = (name: string, mimeType: string, byteLength?: number) => {
      const { byteLength: _, ...rest } = file(name);
      return { ...rest, mimeType, ...(byteLength === undefined ? {} : { byteLength }) };
    };
    const album = { ...send, maxPerMessage: 3, albums: true } as const;
    const attachments = [
      typed("a.png", "image/png", 10),
      typed("b.mp4", "video/mp4", 10),
      typed("c.csv", "text/csv", 10),
      typed("d.pdf", "application/pdf", 10),
      typed("e.mp3", "audio/mpeg", 10),
      typed("f.png", "image/png", 600),
      typed("g.png", "image/png", 600),
      typed("h.png", "image/png"),
      typed("i.png", "image/png"),
    ];
    assert.deepEqual(
      (await partsFor({ attachments }, { send: album })).map(({ files }) => files.join()),
      ["a.png,b.mp4", "c.csv,d.pdf", "e.mp3", "f.png", "g.png", "h.png", "i.png"],
    );
  });

  it("gives files that share a message's bytes as many messages as they need", async () => {
    const { byteLength: _, ...unknown } = file("d");
    const attachments = [file("a", 600), file("b", 400), file("c", 1), unknown];
    const shared = { ...send, maxPerMessage: 10, sharesBytes: true } as const;
    assert.deepEqual(
      (await partsFor({ markdown: "four", attachments }, { send: shared })).map(({ files }) => files.join()),
      ["a,b", "c", "d"],
    );
  });

  it("sends the text first when it is longer than a caption, or shown already", async () => {
    const text = { markdown: "a text of its own", attachments: [file("a")] };
    const apart = [
      { markdown: "a text of its own", files: [] },
      { markdown: "", files: ["a"] },
    ];
    assert.deepEqual(await partsFor(text, { send: { ...send, maxCaptionLength: 5 } }), apart);
    assert.deepEqual(await partsFor(text, {}, true), apart);
  });

  it("says in words which files a place doesn't take", async () => {
    const attachments = [file("small.txt"), file("`large`.txt", 5_000_000)];
    assert.deepEqual(await partsFor({ markdown: "two files", attachments }, { maxTextLength: 500 }), [
      {
        markdown:
          "two files\n\n(The file `'large'.txt` (4.8 MB) could not be sent: this conversation accepts files up to 1000 bytes.)",
        files: ["small.txt"],
      },
    ]);
    assert.deepEqual(await partsFor({ attachments: [file("x")] }, { send: undefined }), [
      { markdown: "(The file `x` (10 bytes) could not be sent: this conversation does not accept files.)", files: [] },
    ]);
  });

  it("says so in the reader's language where they read alone", async () => {
    addLanguage("tlh", { deliveryNotices: { takesNoFiles: "teywI' lajbe'", notSent: (...given) => given.join("|") } });
    const said = async (text: Partial<OutboxRow>) =>
      (await partsFor({ ...text, attachments: [file("x")] }, { send: undefined }))[0]?.markdown;
    assert.equal(await said({ language: "tlh-Latn" }), "`x`| (10 bytes)|teywI' lajbe'");
    assert.match((await said({ language: "sv" })) ?? "", /^\(The file `x`/);
    assert.match((await said({ language: "tlh", conversation: groupOf() })) ?? "", /^\(The file `x`/);
  });

  it("puts buttons below the last text and nothing else", async () => {
    const choices = [choice("1", "Blue"), choice("2", "Red")];
    const buttons = { max: 5, maxLabelLength: 20 };
    const text = { markdown: "which one?", attachments: [file("a")], choices };
    assert.deepEqual(await partsFor(text, { choices: buttons }), [
      { markdown: "which one?", files: [], labels: ["Blue", "Red"] },
      { markdown: "", files: ["a"] },
    ]);
    const long = { markdown: `${"word ".repeat(30)}\n\nwhich one?`, choices };
    const parts = await partsFor(long, { choices: buttons });
    assert.deepEqual(
      parts.map((part) => part.labels),
      [undefined, ["Blue", "Red"]],
    );
  });

  it("writes a list where a place has no buttons, or too few", async () => {
    const choices = ["one", "two", "three"].map((label) => choice(label));
    for (const buttons of [undefined, { max: 2, maxLabelLength: 20 }]) {
      const [part] = await partsFor({ markdown: "which?", choices }, { choices: buttons });
      assert.deepEqual(part, { markdown: "which?\n\n1. one\n2. two\n3. three", files: [] });
    }
  });

  it("shortens labels to what fits, whole characters only, and keeps them apart", async () => {
    const choices = ["the same beginning, one", "the same beginning, two", "balloons 🎈🎈🎈"].map((label) =>
      choice("x", label),
    );
    const [part] = await partsFor({ markdown: "?", choices }, { choices: { max: 3, maxLabelLength: 10 } });
    assert.deepEqual(part?.labels, ["the same…", "2. the sa…", "balloons…"]);
    for (const label of part?.labels ?? []) assert.ok(label.isWellFormed() && label.length <= 10);
  });
});

describe("a file that the platform refuses", () => {
  const store = useStore();

  it("is replaced by a line, and the rest of the reply goes on", async () => {
    for (const code of ["too_large", "invalid_request"] as const) {
      const outbox = await store.fresh();
      const { clock } = outbox;
      const platform = new TestPlatform(clock, { maxTextLength: 200 });
      platform.decide = (_kind, _conversation, text) =>
        text === "with a file" && platform.calls.at(-1)?.message?.attachments.length
          ? new GatewayError("refused", { code })
          : "ok";
      await outbox.put("a", "with a file", { attachments: [file("bad.bin"), file("good.bin")] });
      const turns = { partial: async () => undefined };
      const delivery = createDelivery({
        outbox: outbox.port,
        turns,
        clock,
        random: () => 0.5,
        log: silentLog,
        metrics: silentMetrics,
      });
      delivery.attach(platform, outbox.lease);
      for (let n = 0; n < 20; n += 1) await clock.advance(1_000);
      await delivery.detach(outbox.lease.accountId, 0);
      const problem = code === "too_large" ? "it is too large for the platform" : "the platform rejected it";
      const line = `(The file \`bad.bin\` (10 bytes) could not be sent: ${problem}.)`;
      assert.deepEqual(platform.shown("a"), ["with a file", line, ""], code);
      assert.equal(platform.calls.at(-1)?.message?.attachments[0]?.name, "good.bin");
    }
  });
});
