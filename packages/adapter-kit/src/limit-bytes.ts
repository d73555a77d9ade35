import { GatewayError } from "@talaria/protocol";

/** Hands a file's bytes on, and fails with `too_large` instead of giving more than `maxBytes`. */
export function limitBytes(stream: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let length = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxBytes) controller.error(fileTooLarge(maxBytes));
        else controller.enqueue(chunk);
      },
    }),
  );
}

/** The same error for a file whose size is known before it is read. */
export function fileTooLarge(maxBytes: number): GatewayError {
  return new GatewayError("a file is larger than we take", { code: "too_large", details: { maxBytes } });
}
