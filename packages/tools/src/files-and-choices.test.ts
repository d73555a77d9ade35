import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KnownFile, MediaAccess, ToolContext } from "@talaria/agent";
import { type AccountId, brandAs, type EventId, GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import { builtinTools } from "./builtin-tools.ts";

const send = { maxBytes: 1_000, maxPerMessage: 1, maxCaptionLength: 100 };

const text = "grüße, 🎈 and more. ".repeat(2_000);
const bytes = Buffer.from(text);

function fileOf(id: string, mimeType: string, byteLength = bytes.byteLength): KnownFile {
  return { id, ref: brandAs<MediaRef>(`sha256:${id}`), kind: "file", mimeType, byteLength, name: `${id}.txt` };
}

/** Nobody has fetched it. */
const unopened = { accountId: brandAs<AccountId>("main"), eventId: brandAs<EventId>("e1"), n: 0 };
const files = [
  fileOf("aaaa", "text/plain"),
  fileOf("bbbb", "image/png"),
  fileOf("cccc", "application/zip"),
  fileOf("gggg", "image/png", 6_000_000),
  { ...fileOf("dddd", "application/octet-stream", 0), unopened },
  { ...fileOf("eeee", "image/png", 0), unopened },
  { ...fileOf("ffaa", "image/png", 0), unopened },
];

const media: MediaAccess = {
  read: async (_ref, { offset, length }) => bytes.subarray(offset, offset + length),
  put: async (content, mimeType) => ({
    ref: brandAs<MediaRef>("sha256:new"),
    mimeType,
    byteLength: content instanceof Uint8Array ? content.byteLength : Number.NaN,
  }),
  open: async ({ id }) => {
    if (id === "eeee") throw new GatewayError("it is gone", { code: "not_found" });
    const mimeType = id === "ffaa" ? "image/png" : "text/plain";
    return { ref: brandAs<MediaRef>("sha256:opened"), mimeType, byteLength: bytes.byteLength };
  },
};

async function run(name: string, input: object, callId = "c1") {
  const tool = builtinTools({ send }).find((each) => each.name === name);
  assert.ok(tool);
  const context = { files, media, signal: new AbortController().signal, idempotencyKey: `turn:${callId}` };
  return await tool.execute(tool.input.parse(input), context as unknown as ToolContext);
}

describe("read_attachment", () => {
  it("reads a long text in pieces that cut no character", async () => {
    let whole = "";
    for (let offset: string | undefined = "0"; offset !== undefined; ) {
      const { content } = await run("read_attachment", { id: "aaaa", offset: Number(offset), limit: 1_001 });
      const [head = "", ...rest] = content.split("\n\n");
      whole += rest.join("\n\n");
      offset = /go on with offset (\d+)/.exec(head)?.[1];
    }
    assert.equal(whole, text);
  });

  it("has read nothing where no file has the id, so that nothing of it taints", async () => {
    await assert.rejects(run("read_attachment", { id: "nnnn" }), (error) => {
      assert.ok(isGatewayError(error, "not_found"));
      return error.details.answered === false;
    });
  });

  it("says where tools find what is no text, and puts it there", async () => {
    const { content, kept } = await run("read_attachment", { id: "cccc" });
    assert.match(content, /no text file but application\/zip, \d+ bytes: it can't be read here\. Tools that work/);
    assert.deepEqual(
      kept?.map(({ ref, name }) => [ref, name]),
      [["sha256:cccc", "cccc.txt"]],
    );
  });

  it("refuses what is not here, and what lies behind the end", async () => {
    await assert.rejects(run("read_attachment", { id: "../etc/passwd" }), /there are: aaaa, bbbb/);
    await assert.rejects(run("read_attachment", { id: "aaaa", offset: 10_000_000 }), /the file ends at byte/);
  });

  it("shows a picture", async () => {
    const { content, shows, untrusted } = await run("read_attachment", { id: "bbbb" });
    assert.match(content, /^The picture follows/);
    assert.equal(untrusted, true);
    assert.deepEqual(shows, [{ ref: "sha256:bbbb", mimeType: "image/png", byteLength: bytes.byteLength }]);
  });

  it("shows no picture that is too large for models", async () => {
    const { content, shows } = await run("read_attachment", { id: "gggg" });
    assert.match(content, /image\/png, 6000000 bytes: it can't be read/);
    assert.equal(shows, undefined);
  });

  it("has a file fetched that nobody has opened, and says why it can't be had", async () => {
    const { content } = await run("read_attachment", { id: "dddd", limit: 10 });
    assert.match(content, /^bytes 0 to 9 of \d+; go on/);
    await assert.rejects(run("read_attachment", { id: "eeee" }), /it is gone/);
  });
});

describe("read_attachment of a document", () => {
  const documents: Record<string, Uint8Array> = {
    "a.ipynb": Buffer.from(
      JSON.stringify({ nbformat: 4, metadata: {}, cells: [{ cell_type: "raw", source: "hello" }] }),
    ),
    "l.csv": Buffer.from("Name;Straße\nMüller;Hauptstraße 1\n", "latin1"),
    "w.txt": Buffer.from("\ufeffGrüße 🎈\n", "utf16le"),
    "x.bin": Buffer.from([0x93, 0x01, 0xfa, 0x07, 0xe4]),
    "b.zip": Buffer.from("PK\x03\x04 and nothing behind it"),
  };
  const ask = async (name: string, more: object = {}) => {
    const content = documents[name] ?? new Uint8Array();
    const tool = builtinTools({ send }).find((each) => each.name === "read_attachment");
    assert.ok(tool);
    const context = {
      files: [{ ...fileOf("dddd", "application/octet-stream", content.byteLength), name }],
      media: {
        ...media,
        read: async (_: unknown, at: { offset: number; length: number }) =>
          content.subarray(at.offset, at.offset + at.length),
      },
      signal: new AbortController().signal,
    };
    return await tool.execute(tool.input.parse({ id: "dddd", ...more }), context as unknown as ToolContext);
  };

  it("reads a text that is no UTF-8 as what it is, in pieces, and nothing else", async () => {
    const { content } = await ask("l.csv");
    assert.match(
      content,
      /^bytes 0 to 33 of 33, read as windows-1252 \(a guess: it is no UTF-8\)\n\nName;Straße\nMüller;/,
    );
    const first = (await ask("w.txt", { limit: 7 })).content;
    assert.match(first, /^bytes 0 to 6 of 20, read as utf-16le; go on with offset 6\n\nGr$/);
    assert.match((await ask("w.txt", { offset: 6 })).content, /read as utf-16le\n\nüße 🎈\n$/);
    assert.match((await ask("x.bin")).content, /no text file but application\/octet-stream/);
  });

  it("gives its text as a stranger's words", async () => {
    const result = await ask("a.ipynb");
    assert.ok("content" in result && result.untrusted);
    assert.match(result.content, /^a\.ipynb: notebook, 1 cell\n[\s\S]*\nhello$/);
    await assert.rejects(ask("a.ipynb", { page: "7" }), /no cell 7: it has 1 cell/);
  });

  it("says why one can't be read, and has it lie where other programs may try", async () => {
    const result = await ask("b.zip");
    assert.ok("content" in result);
    assert.match(
      result.content,
      /^b\.zip can't be read: it is broken or incomplete.*Tools that work in a workspace find it at inbox\/\w+\/b\.zip\.$/,
    );
    assert.equal(result.kept?.[0]?.name, "b.zip");
  });
});

describe("read_attachment of what nobody had opened", () => {
  it("has a text and a picture lie where tools work from then on", async () => {
    const opened = { ref: brandAs<MediaRef>("sha256:opened"), byteLength: bytes.byteLength };
    const { kept } = await run("read_attachment", { id: "dddd" });
    assert.deepEqual(kept, [{ ...opened, mimeType: "text/plain", name: "dddd.txt" }]);
    const picture = await run("read_attachment", { id: "ffaa" });
    assert.deepEqual(picture.kept, [{ ...opened, mimeType: "image/png", name: "ffaa.txt" }]);
    assert.deepEqual(picture.shows, [{ ...opened, mimeType: "image/png" }]);
    assert.equal((await run("read_attachment", { id: "aaaa" })).kept, undefined, "it was there before");
  });
});

describe("send_file", () => {
  it("keeps a new file and puts it into the reply", async () => {
    const { reply } = await run("send_file", { name: "table.csv", content: "a,b\n" });
    assert.deepEqual(reply, {
      attachments: [{ ref: "sha256:new", mimeType: "text/csv", byteLength: 4, name: "table.csv" }],
    });
  });

  it("sends a file of this conversation again, and no other", async () => {
    const { reply } = await run("send_file", { name: "again.png", attachment: "bbbb" });
    assert.equal(reply?.attachments?.[0]?.ref, "sha256:bbbb");
    await assert.rejects(run("send_file", { name: "x", attachment: "ffff" }), (error) =>
      isGatewayError(error, "not_found"),
    );
    await assert.rejects(run("send_file", { name: "x" }), /one of content, attachment and paths/);
  });

  it("makes hostile names harmless", async () => {
    for (const [name, wanted] of [
      ["../../.ssh/authorized_keys", "authorized_keys"],
      ["C:\\windows\\system.ini", "system.ini"],
      ["..", "file.txt"],
      ["a\u202ecod.exe\n", "acod.exe"],
      ['"><script>.txt', "___script_.txt"],
    ] as const) {
      const { reply } = await run("send_file", { name, content: "x" });
      assert.equal(reply?.attachments?.[0]?.name, wanted);
    }
  });
});

describe("offer_choices", () => {
  it("gives each choice an id that is the same when the call runs again, and another in another call", async () => {
    const input = { question: "Which one?", options: [{ label: "Blue" }, { label: "Red\none" }] };
    const { reply } = await run("offer_choices", input);
    assert.deepEqual(reply, (await run("offer_choices", input)).reply);
    assert.deepEqual(
      reply?.choices?.options.map(({ label }) => label),
      ["Blue", "Red one"],
    );
    for (const { id } of reply?.choices?.options ?? []) assert.match(id, /^[\w-]{1,40}$/);
    const other = (await run("offer_choices", input, "c2")).reply?.choices?.options[0]?.id;
    assert.notEqual(other, reply?.choices?.options[0]?.id);
  });
});
