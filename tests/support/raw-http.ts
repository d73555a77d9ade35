import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";

export interface RawRequest {
  readonly method?: string;
  /** Goes into the request line exactly as given. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** One request as no well-behaved client would send it: nothing is normalised or added but `host` and the length. */
export async function sendRaw(url: string, { method = "POST", path, headers = {}, body = "" }: RawRequest) {
  const { hostname, port } = new URL(url);
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const outgoing = request({ hostname, port, method, path, headers: { ...length, ...headers }, agent: false });
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return readAnswer(response);
}

/** Writes pieces to the port until there is an answer, and reads until the server hangs up. Answers with the status codes. */
export async function sendBytes(url: string, ...pieces: readonly string[]): Promise<readonly string[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.on("error", () => undefined).once("close", () => resolve()));
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  for (const piece of pieces) {
    if (received !== "" || socket.destroyed) break;
    await new Promise((resolve) => socket.write(piece, "latin1", resolve));
  }
  await closed;
  return [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = ""]) => status);
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  let body = "";
  response.setEncoding("utf8");
  try {
    for await (const text of response) body += text;
  } catch {
    // A server that refuses an upload may cut the connection after its answer.
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}
