import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** The hosts of WhatsApp that a linked device calls. */
export const webHosts = ["web.whatsapp.com", "mmg.whatsapp.net"] as const;

/** A private key and its certificate, as PEM. */
export interface Certified {
  readonly key: string;
  readonly cert: string;
}

/**
 * An HTTP proxy on loopback. Behind a tunnel to one of the hosts it speaks TLS in that host's name, and hands what is said
 * there to a port of this machine; other hosts are refused.
 */
export async function openTlsDoor(certified: Certified, ports: Readonly<Record<(typeof webHosts)[number], number>>) {
  const open = new Set<Socket>();
  const server = createServer();
  server.on("connect", ({ url = "" }: IncomingMessage, client: Socket, head: Buffer) => {
    const port = (ports as Readonly<Record<string, number>>)[url.replace(/:443$/, "")];
    if (port === undefined) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) client.unshift(head);
    const inside = new TLSSocket(client, { isServer: true, ...certified });
    const target = connect(port, "127.0.0.1");
    const sockets = [client, inside, target];
    const end = () => {
      for (const each of sockets) each.destroy();
    };
    for (const each of sockets) {
      open.add(each);
      each.on("error", end).on("close", () => {
        open.delete(each);
        end();
      });
    }
    inside.pipe(target).pipe(inside);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      for (const each of open) each.destroy();
      await closed;
    },
  };
}
