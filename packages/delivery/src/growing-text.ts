import type { StreamFrame } from "@talaria/protocol";
import type { PartialReply } from "@talaria/store";

/** Longer replies keep their current preview: a preview shows one message. */
const maxLength = 64 * 1024;
/** Deltas kept until the partial reply that they continue has been read. */
const maxWaiting = 64;

type Delta = Extract<StreamFrame, { type: "delta" }>;

/** Assembles a reply's text from its frames. */
export class GrowingText {
  #text = "";
  #fence = -1;
  #next = 0;
  #hasGap = false;
  #waiting: Delta[] = [];

  get text(): string {
    return this.#text;
  }

  /** Frames were lost: what is shown may be wrong until `repair`. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** False when the frame is older than what was seen and must be ignored. */
  apply(frame: StreamFrame): boolean {
    if (frame.fence < this.#fence || (frame.fence === this.#fence && frame.n < this.#next)) return false;
    if (frame.fence > this.#fence) this.#restart(frame.fence);
    if (frame.n !== this.#next) this.#hasGap = true;
    this.#next = frame.n + 1;
    if (frame.type === "started") this.#hasGap = false;
    if (frame.type === "delta") this.#continue(frame);
    return true;
  }

  /** Replaces what was lost with the stored text and appends the deltas that have arrived since. */
  repair(partial: PartialReply): void {
    if (partial.fence < this.#fence) return;
    this.#hasGap = false;
    this.#text = partial.text.slice(0, maxLength);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const delta of waiting) this.#continue(delta);
  }

  #restart(fence: number): void {
    this.#fence = fence;
    this.#text = "";
    this.#next = 0;
    this.#hasGap = false;
    this.#waiting = [];
  }

  #continue(delta: Delta): void {
    if (delta.offset > this.#text.length) this.#hasGap = this.#text.length < maxLength;
    if (this.#hasGap) {
      this.#waiting.push(delta);
      if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    } else if (delta.offset <= this.#text.length) {
      this.#text = (this.#text.slice(0, delta.offset) + delta.text).slice(0, maxLength);
    }
  }
}
