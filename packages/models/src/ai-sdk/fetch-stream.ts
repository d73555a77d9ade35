import { WireError } from "../dialect/model-failure.ts";
import { toSaidError } from "../dialect/said-error.ts";

const mostErrorChars = 100_000;

/**
 * A `fetch` that throws what stands in place of a stream: an error in JSON, with status 200, is nothing to the packages. What only
 * calls itself JSON is handed on as it comes.
 */
export function streamsOnly(ask: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await ask(input, init);
    const { body, status, headers } = response;
    if (body === null || status !== 200 || !/\bjson\b/.test(headers.get("content-type") ?? "")) return response;
    const reader = body.getReader();
    const { value: first } = await reader.read();
    const decoder = new TextDecoder();
    let text = decoder.decode(first, { stream: true });
    if (first !== undefined && !/^\s*[{[]/.test(text)) return new Response(goingOn(first, reader), { status, headers });
    while (text.length < mostErrorChars) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
    throw toSaidError(text) ?? new WireError("the server answered with something else than a stream");
  };
}

/** The stream whose first piece has been read. */
function goingOn(first: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
