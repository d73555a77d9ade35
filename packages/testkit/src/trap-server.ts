import { LoopbackServer } from "./loopback-server.ts";

/** What somebody asked of a server that nobody should ask: the path, and the token they showed. */
export interface TrapVisit {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** A server on this machine, as a redirect or an address of a stranger would lead to it. It notes its visitors. */
export async function startTrap() {
  const visits: TrapVisit[] = [];
  const http = await LoopbackServer.listen(({ url = "", headers: { authorization } }, response) => {
    visits.push({ path: url, authorization });
    response.writeHead(200, { "content-type": "image/png" }).end("secret of this machine");
  });
  return { url: http.url, visits, [Symbol.asyncDispose]: () => http.stop() };
}
