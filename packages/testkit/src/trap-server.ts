import { LoopbackServer } from "./loopback-server.ts";

/** One visit to a server that nobody should visit: the path, and the token that was shown. */
export interface TrapVisit {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A server on this machine to which a redirect or a stranger's address leads. It records its visits. */
export async function startTrap() {
  const visits: TrapVisit[] = [];
  const http = await LoopbackServer.listen(({ url = "", headers: { authorization } }, response) => {
    visits.push({ path: url, authorization });
    response.writeHead(200, { "content-type": "image/png" }).end("secret of this machine");
  });
  return { url: http.url, visits, [Symbol.asyncDispose]: () => http.stop() };
}
