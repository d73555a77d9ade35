import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { maxDownloadBytes } from "./capabilities.ts";
import type { TelegramClient } from "./client.ts";
import { openFile } from "./open-file.ts";

const ref = brandAs<MediaRef>("file");
const { signal } = new AbortController();

/** A server that announces a file in one way and hands it out in another. */
function clientWith(announced: { file_path?: string; file_size?: number }, chunks: number) {
  const state = { downloads: 0, isCancelled: false };
  let left = chunks;
  const client = {
    call: async () => announced,
    download: async () => {
      state.downloads += 1;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          left -= 1;
          if (left < 0) controller.close();
          else controller.enqueue(new Uint8Array(1024 * 1024));
        },
        cancel() {
          state.isCancelled = true;
        },
      });
    },
  } as unknown as TelegramClient;
  return { client, state };
}

describe("openFile", () => {
  it("hands out a file up to the limit", async () => {
    const { client } = clientWith({ file_path: "a/b", file_size: maxDownloadBytes }, 20);
    const bytes = await new Response(await openFile(client, ref, signal)).bytes();
    assert.equal(bytes.byteLength, maxDownloadBytes);
  });

  it("refuses a file that is announced as larger, before the download", async () => {
    const { client, state } = clientWith({ file_path: "a/b", file_size: maxDownloadBytes + 1 }, 1);
    await assert.rejects(openFile(client, ref, signal), { code: "too_large" });
    assert.equal(state.downloads, 0);
  });

  it("ends a file that turns out to be larger, and the download with it", async () => {
    const { client, state } = clientWith({ file_path: "a/b" }, 40);
    const stream = await openFile(client, ref, signal);
    await assert.rejects(new Response(stream).bytes(), { code: "too_large" });
    assert.equal(state.isCancelled, true);
  });

  it("says when Telegram no longer has the file", async () => {
    const { client } = clientWith({}, 1);
    await assert.rejects(openFile(client, ref, signal), { code: "not_found" });
  });
});
