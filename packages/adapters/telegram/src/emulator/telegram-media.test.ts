import assert from "node:assert/strict";
import { it } from "node:test";
import { Bot, InputFile, InputMediaBuilder } from "grammy";
import { refusalOf, startedServer } from "./test-server.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

it("lets a bot download what a person sent, the largest photo last", async () => {
  await using peer = await startedServer();
  const { api, chat, ada } = peer;
  chat.sendPhoto(ada, png, "look @ada_l");
  chat.sendDocument(ada, { bytes: Buffer.from("a,b"), name: "table.csv", mimeType: "text/csv" });
  const [photo, document] = await api.getUpdates();
  assert.deepEqual(photo?.message?.caption_entities, [{ type: "mention", offset: 5, length: 6 }]);
  const sizes = photo?.message?.photo ?? [];
  const largest = await api.getFile(sizes.at(-1)?.file_id ?? "");
  assert.deepEqual(await download(peer, largest.file_path), png);
  assert.notDeepEqual(await download(peer, (await api.getFile(sizes[0]?.file_id ?? "")).file_path), png);
  assert.equal(document?.message?.document?.file_name, "table.csv");
  const file = await api.getFile(document?.message?.document?.file_id ?? "");
  assert.match(file.file_path ?? "", /\.csv$/);
  assert.equal((await download(peer, file.file_path)).toString(), "a,b");
});

it("refuses downloads above 20 MB and file ids of another bot", async () => {
  await using peer = await startedServer({ tokens: ["11:one", "22:two"] });
  const { api, chat, ada } = peer;
  chat.sendDocument(ada, { bytes: Buffer.from("x"), size: 20 * 1_024 * 1_024 + 1 });
  chat.sendVoice(ada, { bytes: Buffer.from("OggS") });
  const [big, voice] = await api.getUpdates();
  const refusal = await refusalOf(api.getFile(big?.message?.document?.file_id ?? ""));
  assert.equal(refusal, "Bad Request: file is too big");
  const other = new Bot("22:two", { client: { apiRoot: peer.apiRoot } });
  const id = voice?.message?.voice?.file_id ?? "";
  assert.match(String(await refusalOf(other.api.getFile(id))), /wrong file_id/);
  assert.ok(await api.getFile(id));
});

it("takes uploads and known file ids of the right kind", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const upload = await api.sendDocument(chat.id, new InputFile(Buffer.from("report"), "report.txt"), {
    caption: "<b>done</b>",
    parse_mode: "HTML",
  });
  const again = await api.sendDocument(chat.id, upload.document?.file_id ?? "");
  const [first, second] = chat.botMessages();
  assert.deepEqual([first?.html, first?.media?.name], ["<b>done</b>", "report.txt"]);
  assert.equal(Buffer.from(second?.media?.bytes ?? []).toString(), "report");
  assert.notEqual(again.message_id, upload.message_id);
  await api.sendPhoto(chat.id, new InputFile(png));
  const refusals = [
    await refusalOf(api.sendPhoto(chat.id, upload.document?.file_id ?? "")),
    await refusalOf(api.sendPhoto(chat.id, new InputFile(Buffer.from("no picture")))),
    await refusalOf(api.sendDocument(chat.id, new InputFile(Buffer.alloc(0), "empty"))),
    await refusalOf(api.sendDocument(chat.id, "made-up")),
    await refusalOf(api.sendDocument(chat.id, new InputFile(png, "a.png"), { caption: "x".repeat(1_025) })),
  ];
  assert.deepEqual(refusals, [
    "Bad Request: can't use file of type Document as Photo",
    "Bad Request: IMAGE_PROCESS_FAILED",
    "Bad Request: file must be non-empty",
    "Bad Request: wrong file identifier/HTTP URL specified",
    "Bad Request: message caption is too long",
  ]);
  assert.equal(chat.botMessages().length, 3);
});

it("refuses uploads above 50 MB", async () => {
  await using peer = await startedServer();
  const upload = new InputFile(Buffer.alloc(50 * 1_024 * 1_024 + 1), "big.bin");
  await assert.rejects(peer.api.sendDocument(peer.chat.id, upload), { error_code: 413 });
  assert.deepEqual(peer.chat.messages(), []);
});

it("sends albums of 2 to 10 items that may stand together", async () => {
  await using peer = await startedServer();
  const { api, chat } = peer;
  const photo = () => InputMediaBuilder.photo(new InputFile(png));
  const text = () => InputMediaBuilder.document(new InputFile(Buffer.from("x"), "x.txt"));
  const sent = await api.sendMediaGroup(chat.id, [photo(), photo()]);
  const albums = new Set(chat.botMessages().map((message) => message.mediaGroupId));
  assert.deepEqual([sent.length, albums.size, albums.has(undefined)], [2, 1, false]);
  assert.equal(
    await refusalOf(api.sendMediaGroup(chat.id, [photo()])),
    "Bad Request: wrong number of messages in the album",
  );
  assert.match(String(await refusalOf(api.sendMediaGroup(chat.id, [photo(), text() as never]))), /can't be mixed/);
  assert.equal(chat.botMessages().length, 2);
});

it("keeps a file whole whose bytes look like the end of a part", async () => {
  await using peer = await startedServer();
  const bytes = Buffer.concat([Buffer.from("\r\n--\r\n------\r\n\r\n"), png, Buffer.from("\r\n")]);
  await peer.api.sendDocument(peer.chat.id, new InputFile(bytes, 'a "quoted" näme.bin'));
  assert.deepEqual(Buffer.from(peer.chat.botMessages()[0]?.media?.bytes ?? []), bytes);
});

async function download(peer: { url: string; token: string }, path = ""): Promise<Buffer> {
  const answer = await fetch(`${peer.url}/file/bot${peer.token}/${path}`);
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}
