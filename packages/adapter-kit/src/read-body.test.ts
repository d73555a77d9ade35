import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { readBody } from "./read-body.ts";

function requestWith(body: ReadableStream<Uint8Array> | string, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" });
}

/** A body that never ends; `pulled` counts its chunks of one KiB. */
function endless() {
  const state = { pulled: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      state.pulled += 1;
      controller.enqueue(new Uint8Array(1024));
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { stream, state };
}

describe("readBody", () => {
  it("returns the bytes up to the limit", async () => {
    assert.deepEqual(new TextDecoder().decode(await readBody(requestWith("12345"), 5)), "12345");
    assert.equal((await readBody(new Request("http://localhost/"), 5)).byteLength, 0);
  });

  it("stops reading an endless body at the limit", async () => {
    const { stream, state } = endless();
    await assert.rejects(readBody(requestWith(stream), 10 * 1024), (error) => isGatewayError(error, "too_large"));
    assert.ok(state.pulled < 20, `${state.pulled} chunks were read`);
    assert.ok(state.cancelled);
  });

  it("refuses by the announced length before it reads", async () => {
    const { stream, state } = endless();
    const request = requestWith(stream, { "content-length": "99999" });
    await assert.rejects(readBody(request, 10), (error) => isGatewayError(error, "too_large"));
    assert.ok(state.pulled <= 1);
  });

  it("says unavailable when the peer breaks off", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("reset"));
      },
    });
    await assert.rejects(readBody(requestWith(broken), 10), (error) => isGatewayError(error, "unavailable"));
  });
});
