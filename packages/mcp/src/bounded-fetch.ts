import type { FetchLike } from "@modelcontextprotocol/client";
import type { Clock } from "@talaria/protocol";
import { LineRate, mostMessageBytes, tooLargeText, tooManyText } from "./limits.ts";

const lineFeed = 10;
const carriageReturn = 13;

/**
 * A fetch whose answers end with an error once a message in them is larger than allowed, or too many come: of an event stream
 * each event counts by itself, of anything else the whole body.
 */
export function boundedFetch(fetch: FetchLike, clock: Pick<Clock, "elapsed">, mostBytes = mostMessageBytes): FetchLike {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = answer.body.pipeThrough(isStream ? boundedEvents(mostBytes, clock) : boundedBytes(mostBytes));
    const { status, statusText, headers } = answer;
    const bounded = new Response(body, { status, statusText, headers });
    // Which server answered decides whether a redirect is followed.
    Object.defineProperties(bounded, {
      url: { value: answer.url },
      type: { value: answer.type },
      redirected: { value: answer.redirected },
    });
    return bounded;
  };
}

function boundedBytes(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > mostBytes) controller.error(new RangeError(tooLargeText));
      else controller.enqueue(chunk);
    },
  });
}

/** An event ends with an empty line. */
function boundedEvents(mostBytes: number, clock: Pick<Clock, "elapsed">): TransformStream<Uint8Array, Uint8Array> {
  const rate = new LineRate();
  let bytes = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (let start = 0; start < chunk.length; ) {
        const found = chunk.indexOf(lineFeed, start);
        const end = found < 0 ? chunk.length : found + 1;
        const isBlank = found === start || (found === start + 1 && chunk[start] === carriageReturn);
        bytes = isLineEmpty && isBlank ? 0 : bytes + end - start;
        if (bytes > mostBytes) return controller.error(new RangeError(tooLargeText));
        isLineEmpty = found >= 0;
        if (isLineEmpty && rate.isTooMuch(clock.elapsed())) return controller.error(new RangeError(tooManyText));
        start = end;
      }
      controller.enqueue(chunk);
    },
  });
}
