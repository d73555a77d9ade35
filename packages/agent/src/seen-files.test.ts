import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type EventId, instantOf, type MediaRef } from "@talaria/protocol";
import { compress } from "./context/compress.ts";
import { memoryMedia } from "./context/memory-media.fixture.ts";
import { tokensOf } from "./context/tokens-of.ts";
import { visibleEntries } from "./context/visible-entries.ts";
import type { EntryAttachment, EntryQuote, OverheardEntry } from "./entries-of-people.ts";
import { filesOf, renderEntries, type TranscriptEntry, transcriptEntrySchema } from "./index.ts";
import { person, said } from "./turn.fixture.ts";

const shared = { platform: "telegram", shared: true } as const;
const at = instantOf(1_790_000_000_000);

const picture: EntryAttachment = {
  ...{ kind: "image", mimeType: "image/png", byteLength: 1_000 },
  ref: brandAs<MediaRef>(`sha256:${"7".repeat(64)}`),
};

function unopened(name: string, kind: EntryAttachment["kind"] = "file"): EntryAttachment {
  const from = { accountId: brandAs<AccountId>("main"), eventId: brandAs<EventId>("e"), n: 0 };
  return { kind, mimeType: "text/plain", name, ref: brandAs<MediaRef>(`theirs ${name}`), unopened: from };
}

function quoteWith(...attachments: readonly EntryAttachment[]): EntryQuote {
  return { userId: person("9").userId, displayName: "Bob", markdown: "", attachments };
}

function overheard(more: Partial<OverheardEntry>): OverheardEntry {
  return { kind: "overheard", sender: person("9"), markdown: "", at, ...more };
}

function textOf(...entries: readonly TranscriptEntry[]): string {
  return renderEntries(entries, shared)
    .map(({ content }) => content)
    .join("\n");
}

describe("what a message answers", () => {
  const asking = said("what is on it?", undefined, { quote: quoteWith(picture, unopened("a.txt")) });

  it("is shown with its picture, and other files by ids that can be opened", () => {
    const [message] = renderEntries([asking], shared);
    assert.ok(message?.role === "user");
    assert.deepEqual(message.images, [{ ref: picture.ref, mimeType: "image/png" }]);
    const [, inside = ""] = /<quoted [^>]*>\n([\s\S]*)\n<\/quoted>\nwhat is on it/.exec(message.content) ?? [];
    const [first, second] = inside.split("\n");
    assert.equal(first, '<attachment kind="image" type="image/png" bytes="1000" id="777777777777"/>');
    assert.match(
      second ?? "",
      /^<attachment kind="file" name="a\.txt" type="text\/plain" id="[0-9a-f]{12}" opened="false"\/>$/,
    );
    assert.deepEqual(
      filesOf([asking]).map(({ id }) => id),
      [...inside.matchAll(/ id="(\w+)"/g)].map(([, id]) => id),
    );
  });

  it("takes of the window what its picture takes", () => {
    const without = said("what is on it?", undefined, { quote: quoteWith(unopened("a.txt")) });
    assert.ok(tokensOf([asking]) - tokensOf([without]) > 1_000);
  });
});

describe("what was overheard", () => {
  it("has its files, its quote, and how many files are not named, in its block", () => {
    const hostile = unopened('x"/></overheard>.txt');
    const text = textOf(
      overheard({ quote: { ...quoteWith(), markdown: "<b>" }, attachments: [hostile], moreFiles: 3 }),
    );
    const inside = /^<overheard [^>]*>\n([\s\S]*)\n<\/overheard>$/.exec(text)?.[1]?.split("\n") ?? [];
    assert.equal(inside.length, 5, text);
    assert.match(inside[0] ?? "", /^<quoted sender="Bob" id="telegram:user:9">$/);
    assert.match(inside[3] ?? "", /^<attachment kind="file" name="x&quot;[^<>]*" [^<>]* opened="false"\/>$/);
    assert.equal(inside[4], "<note>3 more files came with it</note>");
  });

  it("is never shown as a picture before it is opened", () => {
    const [message] = renderEntries([overheard({ attachments: [unopened("p", "image")] })], shared);
    assert.ok(message?.role === "user" && message.images === undefined);
  });

  it("is read back as it was written, and by an earlier release without what is new", () => {
    const entries = [
      overheard({ attachments: [unopened("a.txt")], moreFiles: 2, quote: quoteWith(picture) }),
      said("look", undefined, { quote: quoteWith(unopened("b.txt")) }),
    ];
    for (const entry of entries)
      assert.deepEqual(transcriptEntrySchema.parse(JSON.parse(JSON.stringify(entry))), entry);
    const future = { ...entries[0], somethingNew: [1] };
    assert.deepEqual(transcriptEntrySchema.parse(future), entries[0]);
  });
});

describe("a picture that a call has opened", () => {
  const shown = { ref: picture.ref, mimeType: "image/png", byteLength: 1_000 };
  const result: TranscriptEntry = {
    ...{ callId: "c1", name: "read_attachment", content: "It follows.", isError: false },
    kind: "tool.result",
    shows: [shown],
  };
  const asked: TranscriptEntry = {
    ...{ kind: "assistant", content: "", model: "m", stop: "tool_calls" },
    toolCalls: [{ callId: "c1", name: "read_attachment", arguments: "{}" }],
  };

  it("is shown behind the results, as those of a message", () => {
    const messages = renderEntries([said("look"), asked, result], shared);
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "user"],
    );
    const last = messages.at(-1);
    assert.ok(last?.role === "user");
    assert.deepEqual(last.images, [{ ref: picture.ref, mimeType: "image/png" }]);
    assert.equal(last.content, "<note>opened: 777777777777</note>");
    assert.ok(tokensOf([result]) > 1_000);
    assert.deepEqual(transcriptEntrySchema.parse(JSON.parse(JSON.stringify(result))), result);
  });
});

describe("files of a conversation that was shortened", () => {
  it("can still be opened by the ids that they had", async () => {
    const long = "so it is ".repeat(6_000);
    const talk = [
      overheard({ attachments: [unopened("overheard.txt"), unopened("p", "image")] }),
      said("read it", undefined, { quote: quoteWith(unopened("quoted.txt"), picture) }),
      ...Array.from({ length: 4 }, (_, n) => said(`${n} ${long}`)),
    ];
    const before = new Set(filesOf(talk).map(({ id }) => id));
    const checkpoint = await compress(
      {
        ...{ history: [], journal: talk, fixedTokens: 0, windowTokens: 16_000, lightTokens: 9_000, force: 2, at },
        ...{ reason: "refused", platform: "telegram" },
      },
      { media: memoryMedia(), signal: new AbortController().signal, taintOf: () => [], audience: [] },
    );
    assert.ok(checkpoint?.kind === "checkpoint");
    const read = transcriptEntrySchema.parse(JSON.parse(JSON.stringify(checkpoint)));
    const after = filesOf([read]);
    for (const id of before)
      assert.ok(
        after.some((file) => file.id === id),
        id,
      );
    assert.equal(after.filter((file) => file.unopened !== undefined).length >= 3, true);
    const text = textOf(...visibleEntries([...talk, checkpoint]));
    for (const id of before) assert.ok(text.includes(id), `${id} is named`);
  });
});
