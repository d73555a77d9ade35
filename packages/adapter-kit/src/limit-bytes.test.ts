import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { limitBytes } from "./limit-bytes.ts";

const source = () => new Blob(["12345"]).stream();

describe("limitBytes", () => {
  it("passes a file of exactly the limit", async () => {
    assert.equal(await new Response(limitBytes(source(), 5)).text(), "12345");
  });

  it("fails and lets go of the source when there is more", async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(3)),
      cancel: cancelled.resolve,
    });
    await assert.rejects(
      new Response(limitBytes(endless, 5)).bytes(),
      (error) => isGatewayError(error, "too_large") && error.details?.maxBytes === 5,
    );
    assert.ok(isGatewayError(await cancelled.promise, "too_large"));
  });
});
