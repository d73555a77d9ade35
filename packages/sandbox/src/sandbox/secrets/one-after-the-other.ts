import type { IncomingMessage, ServerResponse } from "node:http";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests that one connection may have sent while an earlier one is being answered. */
const mostWaiting = 16;

/**
 * Answers the requests of a connection one after the other: Node.js hands on all that are sent at once, and only the response whose
 * turn it is learns that its connection has closed. A connection with too many of them is closed.
 */
export function oneAfterTheOther(answer: Answer): Answer {
  const waiting = new WeakMap<object, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = waiting.get(socket) ?? [];
    waiting.set(socket, queue);
    if (queue.length > mostWaiting) {
      socket.destroy();
      return;
    }
    queue.push(() => answer(request, response));
    response.once("close", () => {
      queue.shift();
      if (socket.writable) queue[0]?.();
    });
    if (queue.length === 1) queue[0]?.();
  };
}
