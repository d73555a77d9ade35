/** What may wait for a reader. Lines beyond it wait their turn, deltas are left out. */
const maxQueuedBytes = 1_048_576;

/**
 * Server-sent events as a stream of bytes. It never holds more than a mebibyte and one event. `ending` is aborted when
 * the reader leaves; aborting it ends the stream.
 */
export class EventWriter {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #ending: AbortController;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #hasRead = true;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(ending: AbortController) {
    this.#ending = ending;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pulled(),
        cancel: () => ending.abort(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxQueuedBytes }),
    );
    ending.signal.addEventListener("abort", () => this.#close(), { once: true });
  }

  /** Resolves when the next event fits, or when the stream has ended. */
  async room(): Promise<void> {
    if (this.#ending.signal.aborted || this.#hasRoom()) return;
    this.#room ??= Promise.withResolvers<void>();
    await this.#room.promise;
  }

  event(name: string, data: object, id?: string): void {
    const idLine = id === undefined ? "" : `id: ${id}\n`;
    this.#write(`event: ${name}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
  }

  /** An event that may be left out. */
  expendable(name: string, data: object): void {
    if (this.#hasRoom()) this.event(name, data);
  }

  comment(text: string): void {
    this.#write(`: ${text}\n\n`);
  }

  /** Shows proxies that the stream lives. A reader that took nothing since the last time, and is full, is cut off. */
  keepAlive(): void {
    if (this.#hasRoom()) this.comment("still here");
    else if (!this.#hasRead) {
      this.#controller.error(new Error("the reader is too slow"));
      this.#ending.abort();
    }
    this.#hasRead = false;
  }

  #hasRoom(): boolean {
    return (this.#controller.desiredSize ?? 0) > 0;
  }

  #pulled(): void {
    this.#hasRead = true;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #write(text: string): void {
    if (!this.#ending.signal.aborted) this.#controller.enqueue(this.#encoder.encode(text));
  }

  #close(): void {
    this.#room?.resolve();
    try {
      this.#controller.close();
    } catch {
      // The reader has left, or was cut off.
    }
  }
}
