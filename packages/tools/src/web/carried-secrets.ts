import { pipeline, Readable } from "node:stream";
import {
  type HandedSecret,
  lookedInto,
  putIn,
  redactor,
  redactText,
  secretsFor,
  unsearchableCharset,
} from "@talaria/foreign-content";
import { GatewayError } from "@talaria/protocol";
import type { Response } from "undici";

/** How a body may be packed in which a secret is looked for. */
const readable: ReadonlySet<string> = new Set(["", "identity", "gzip", "x-gzip", "deflate"]);

/**
 * Secrets on the way of one fetch. They go to their own hosts by https alone, and to none any more once the way has led elsewhere: whoever
 * is there could choose what is asked for with them. What comes back has stars in place of the values.
 */
export class CarriedSecrets {
  readonly #secrets: readonly HandedSecret[];
  #values: readonly string[] = [];
  #hasLeft = false;

  constructor(secrets: readonly HandedSecret[]) {
    this.#secrets = secrets;
  }

  /** What is sent to an address. A header with a handle that is of no use there is left out. Throws `invalid_request`. */
  headersFor(url: URL, given: Readonly<Record<string, string>>): [name: string, text: string][] {
    const all = Object.entries(given).map(([name, text]) => [name.toLowerCase(), text] as [string, string]);
    if (this.#secrets.length === 0) return all;
    const own = this.#hasLeft ? [] : secretsAt(url, this.#secrets);
    this.#hasLeft = own.length === 0;
    const { headers, values } = putIn(grouped(all), own);
    if (values.length > 0) this.#values = values;
    if (values.length > 0 && headers.host !== undefined)
      throw new GatewayError("a request with a secret can't name another host", { code: "invalid_request" });
    // What is encoded can't be looked through.
    if (values.length > 0) headers["accept-encoding"] = ["identity"];
    return Object.entries(headers).flatMap(([name, texts]) =>
      texts.filter((text) => !this.#hasHandle(text)).map((text) => [name, text] as [string, string]),
    );
  }

  text(text: string): string {
    return redactText(text, this.#values);
  }

  /** Where a redirect leads. Throws `unavailable` for an address that holds a value: nobody else may be told. */
  location(text: string): string {
    if (this.text(text) === text) return text;
    throw new GatewayError("the host redirects to an address that holds the secret: it is not followed", {
      code: "unavailable",
    });
  }

  /** The body, with stars. Throws `unavailable`, also while it is read, where it is such that nobody can look, or a packed file with a value. */
  body({ body, headers }: Pick<Response, "body" | "headers">): AsyncIterable<Uint8Array> | null {
    if (body === null || this.#values.length === 0) return body;
    const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
    if (!readable.has(encoding)) throw unreadable("encoded in a way");
    const charset = unsearchableCharset(headers.get("content-type") ?? "");
    if (charset !== undefined) throw unreadable(`in the charset ${this.text(charset)},`);
    return lookedInto(
      pipeline(Readable.from(body), redactor(this.#values), () => undefined),
      this.#values,
    );
  }

  #hasHandle(text: string): boolean {
    const words = [text, Buffer.from(text.split(" ").at(-1) ?? "", "base64").toString("latin1")];
    return this.#secrets.some(({ handle }) => words.some((one) => one.includes(handle)));
  }
}

function unreadable(how: string): GatewayError {
  return new GatewayError(`the host's answer is ${how} in which nobody can look for the secret`, {
    code: "unavailable",
  });
}

/** Those that may go to an address. */
export function secretsAt({ protocol, hostname, port }: URL, secrets: readonly HandedSecret[]) {
  return protocol === "https:" ? secretsFor(`${hostname}:${port === "" ? 443 : port}`, secrets) : [];
}

function grouped(all: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = Object.groupBy(all, ([name]) => name);
  return Object.fromEntries(Object.entries(groups).map(([name, group = []]) => [name, group.map(([, text]) => text)]));
}
