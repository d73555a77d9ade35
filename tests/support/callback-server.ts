import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CallbackServer extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
}

/** Takes every POST on a loopback port and remembers it. Answers 503 to the first `refusals` of them. */
export async function startCallbackServer(refusals = 0): Promise<CallbackServer> {
  const calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const text of request.setEncoding("utf8")) body += text;
    calls.push({ headers: request.headers, body });
    response.writeHead(calls.length > refusals ? 204 : 503).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${address.port}/answers`, calls, [Symbol.asyncDispose]: stop };
}
