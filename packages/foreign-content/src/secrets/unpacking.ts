import type { Gunzip, InflateRaw } from "node:zlib";
import { GatewayError } from "@talaria/protocol";
import type { Search } from "./find.ts";

/** Of one answer. */
const mostUnpackedBytes = 1024 * 1024 * 1024;

/** What one packed text unpacks to, looked through as it comes. */
export class Unpacking {
  /** What was packed has ended. */
  isOver = false;
  isBroken = false;
  readonly #decoder: Gunzip | InflateRaw;
  readonly #look: { readonly search: Search; unpackedBytes: number };
  #held = Buffer.alloc(0);
  #failure: GatewayError | undefined;
  #stopped: () => void = () => undefined;

  constructor(decoder: Gunzip | InflateRaw, look: { readonly search: Search; unpackedBytes: number }) {
    this.#decoder = decoder;
    this.#look = look;
    decoder.on("data", (bytes: Buffer) => this.#take(bytes, false));
    decoder.once("end", () => {
      this.isOver = true;
      this.#stopped();
    });
    decoder.on("error", () => {
      this.isBroken = true;
      this.#stopped();
    });
    decoder.once("close", () => this.#stopped());
  }

  /** How many of the bytes belonged to it. Throws `unavailable` once a value was seen, or too much. */
  async write(bytes: Uint8Array): Promise<number> {
    const before = this.#decoder.bytesWritten;
    await new Promise<void>((resolve) => {
      this.#stopped = resolve;
      this.#decoder.write(bytes, () => resolve());
    });
    // The end is told after the last piece.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#failure) throw this.#failure;
    return this.#decoder.bytesWritten - before;
  }

  /** Nothing more comes: it may have been cut off. */
  async end(): Promise<void> {
    if (!this.isOver && !this.isBroken && !this.#decoder.destroyed)
      await new Promise<void>((resolve) => {
        this.#stopped = resolve;
        this.#decoder.end();
      });
    this.#take(Buffer.alloc(0), true);
    this.close();
    if (this.#failure) throw this.#failure;
  }

  close(): void {
    this.#decoder.destroy();
  }

  #take(piece: Buffer, isLast: boolean): void {
    if (this.#failure) return;
    this.#look.unpackedBytes += piece.length;
    if (this.#look.unpackedBytes > mostUnpackedBytes)
      this.#fail("the host's answer is a packed file too large to look for the secret in it");
    const bytes = Buffer.concat([this.#held, piece]);
    const open = this.#look.search(
      bytes,
      () => this.#fail("the host's answer is a packed file that holds the secret"),
      isLast,
    );
    this.#held = bytes.subarray(open);
  }

  #fail(message: string): void {
    this.#failure ??= new GatewayError(message, { code: "unavailable" });
    this.#decoder.destroy();
  }
}
