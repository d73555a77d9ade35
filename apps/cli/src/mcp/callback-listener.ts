import { createServer, type Server } from "node:http";

const here: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Listens where a login sends the browser back to, and shows there what `take` says of the parameters. Undefined for an address
 * that isn't on this machine. Throws one sentence with the remedy when it can't listen.
 */
export async function listenForCallback(
  redirectUrl: string,
  take: (parameters: URLSearchParams) => Promise<string>,
): Promise<{ close(): void } | undefined> {
  const { protocol, hostname, port, pathname } = new URL(redirectUrl);
  if (protocol !== "http:" || !here.has(hostname)) return undefined;
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "", redirectUrl);
    if (request.method !== "GET" || url?.pathname !== pathname) {
      response.writeHead(404).end();
      return;
    }
    void take(url.searchParams).then((text) => {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${text}\n`);
    });
  });
  await listen(server, Number(port || 80), hostname.replace(/^\[|\]$/g, ""), redirectUrl);
  return {
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}

async function listen(server: Server, port: number, host: string, redirectUrl: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    throw new Error(`nothing can listen at ${redirectUrl}: free that port, or set oauth.redirectUrl to another one`, {
      cause,
    });
  });
}
