import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createGuardedFetch, type GuardedFetch } from "@talaria/tools";

/** What somebody asked of it, as it came. */
export interface Visit {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** The whole request as text. */
  readonly text: string;
}

interface Page {
  readonly type: string;
  readonly text: string;
}

/** Not the address where test servers of ours listen: what is refused there is refused by the product. */
const address = "127.0.0.2";

/** Every host of the internet, as far as this test goes: it shows pages, and writes down whatever reaches it. */
export class Collector implements AsyncDisposable {
  readonly visits: Visit[] = [];
  /** Names that somebody looked up. */
  readonly names: string[] = [];
  readonly #pages = new Map<string, Page>();
  readonly #held = new Map<string, Promise<void>>();
  readonly #gone = new Map<string, () => void>();
  readonly #server = createServer(async (request, response) => {
    const visit = await visitOf(request);
    this.visits.push(visit);
    response.once("close", () => this.#gone.get(visit.path)?.());
    await this.#held.get(visit.path);
    const { type, text } = this.#pages.get(visit.path) ?? { type: "text/plain", text: "thanks" };
    response.writeHead(200, { "content-type": type }).end(text);
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve, reject) => {
      collector.#server.once("error", reject);
      collector.#server.listen(0, address, resolve);
    });
    return collector;
  }

  /** Reaches the collector under every name, and nothing else. */
  readonly fetch: GuardedFetch = createGuardedFetch({
    resolve: async (name) => {
      this.names.push(name);
      return [{ address, family: 4 }];
    },
    permits: (one) => one === address,
  });

  /** Without a name. */
  get host(): string {
    return `${address}:${this.#port}`;
  }

  /** The same address, but with plain HTTP and at the collector's port. */
  here(url: string): string {
    return url.replace(/^https?:\/\/([^/?#]+)/, `http://$1:${this.#port}`);
  }

  /** Answers with the address where the page is from now on. */
  show(path: string, text: string, type = "text/html"): string {
    this.#pages.set(path, { type, text });
    return this.here(`https://pages.example.com${path}`);
  }

  /** The page at this path arrives once what this returns is called. */
  hold(path: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(path, promise);
    return resolve;
  }

  /** Resolves once whoever asked for this page has hung up, or has it. */
  cut(path: string): Promise<void> {
    return new Promise((resolve) => this.#gone.set(path, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
}

async function visitOf(request: IncomingMessage): Promise<Visit> {
  const { method = "", url = "", headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  return { method, host: headers.host ?? "", path: url, text: [url, JSON.stringify(headers), body].join("\n") };
}
