import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { WebFile } from "./channel.ts";
import { useServedAdapter } from "./testing/use-served-adapter.ts";

describe("files of the web chat", () => {
  const served = useServedAdapter();
  const { channel } = served;

  const at = (path: string) => `${served.url}/api/conversations/main/${path}`;
  const upload = (name: string, body: Uint8Array<ArrayBuffer>, type = "text/csv") =>
    fetch(at(`files?name=${encodeURIComponent(name)}`), { method: "POST", body, headers: { "content-type": type } });
  const post = (body: object) => fetch(at("messages"), { method: "POST", body: JSON.stringify(body) });

  it("are kept first, and then named by a message, which may have no words", async () => {
    const files: WebFile[] = [];
    for (const [name, type] of [
      ["Größen (1).csv", "text/csv"],
      ["a.png", "image/png"],
    ] as const) {
      const response = await upload(name, randomBytes(90_000), type);
      assert.equal(response.status, 201);
      files.push((await response.json()) as WebFile);
    }
    assert.equal((await post({ text: "", files })).status, 202);
    const [event] = served.host.events;
    assert.ok(event?.type === "message.created");
    assert.deepEqual(
      event.message.attachments.map(({ kind, name, byteLength }) => [kind, name, byteLength]),
      [
        ["file", "Größen (1).csv", 90_000],
        ["image", "a.png", 90_000],
      ],
    );
    assert.equal(event.message.attachments[0]?.ref, files[0]?.ref);
  });

  it("are refused with a sentence: without a name, empty, too large, too many, made up", async () => {
    const errorOf = async (response: Response) => [
      response.status,
      ((await response.json()) as { readonly error: string }).error,
    ];
    assert.match(String((await errorOf(await upload("", randomBytes(3))))[1]), /name must be the file's/);
    assert.match(String((await errorOf(await upload("a/../b", randomBytes(3))))[1]), /without \/ and \\/);
    assert.match(
      String((await errorOf(await upload("none.csv", new Uint8Array())))[1]),
      /none\.csv is empty|must be the/,
    );
    const [status, error] = await errorOf(await upload("film.mp4", randomBytes(20_971_521)));
    assert.equal(status, 413);
    assert.match(
      String(error),
      /film\.mp4 has more than 20971520 bytes, and no larger file is taken \(media\.maxBytes\)/,
    );
    const file = { ref: `sha256:${"0".repeat(64)}`, name: "a", mimeType: "text/plain", byteLength: 1 };
    assert.equal((await post({ text: "x", files: Array(11).fill(file) })).status, 400);
    assert.equal((await post({ text: "x", files: [{ ...file, ref: "../../etc/passwd" }] })).status, 400);
    assert.equal((await post({ text: " " })).status, 400);
    assert.deepEqual(served.host.events, []);
  });

  it("of the conversation's lines are given to be kept, never to be shown as a page, and no others", async () => {
    const bytes = randomBytes(200_000);
    const { ref, ...kept } = await channel.keep(new Blob([bytes]).stream(), "text/html");
    const url = at(`files/${encodeURIComponent(ref)}`);
    assert.equal((await fetch(url)).status, 404, "no line has it");
    channel.write("one", { files: [{ ref, ...kept, name: 'a "<b>".html' }] });
    const response = await fetch(url);
    assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())));
    assert.equal(response.headers.get("content-disposition"), `attachment; filename*=UTF-8''a%20%22%3Cb%3E%22.html`);
    assert.match(response.headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'$/);
    assert.equal((await fetch(at("files/..%2f..%2ftoken"))).status, 404);
  });

  it("have a limit that the history tells", async () => {
    const { files } = (await (await fetch(at("messages"))).json()) as { readonly files: object };
    assert.deepEqual(files, { most: 10, maxBytes: 20_971_520 });
  });
});
