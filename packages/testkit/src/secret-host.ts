import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";

export interface SecretHost {
  readonly port: number;
  /** Requests that came, with what they carried. */
  readonly asked: Asked[];
  close(): Promise<void>;
}

export interface Asked {
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A certificate for `localhost` that this process trusts, made by OpenSSL in `folder`. */
export async function trustedLocalhost(folder: string): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const [key, cert] = [join(folder, "host.key"), join(folder, "host.pem")];
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
  ]);
  const made = { key: await readFile(key), cert: await readFile(cert) };
  setDefaultCACertificates([...getCACertificates("default"), made.cert.toString()]);
  return made;
}

/** A server by https on 127.0.0.1 that keeps what it is asked. */
export async function startSecretHost(
  identity: { readonly key: Buffer; readonly cert: Buffer },
  answer: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void,
): Promise<SecretHost> {
  const asked: Asked[] = [];
  const server: Server = createServer(identity, (request, response) => {
    const one: Asked = {
      path: request.url ?? "",
      host: request.headers.host ?? "",
      headers: request.headersDistinct,
    };
    asked.push(one);
    answer(one, response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
