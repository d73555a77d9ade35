import type { IncomingMessage, ServerResponse } from "node:http";

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
const late = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/**
 * Gives a request's body so much time from now on, instead of what it had before; then its connection is closed. Node.js has one limit
 * for all requests of a server.
 */
export function limitBody(request: IncomingMessage, response: ServerResponse, ms: number): void {
  clearTimeout(timers.get(request));
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (request.complete || request.socket.destroyed) return;
    if (response.headersSent) request.socket.destroy();
    else request.socket.end(late, () => request.socket.destroy());
  }, ms);
  if (!timers.has(request)) for (const event of ["end", "close"]) request.once(event, () => forget(request));
  timers.set(request, timer);
}

function forget(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}
