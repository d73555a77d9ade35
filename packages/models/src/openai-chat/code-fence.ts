const fence = /^[ \t]{0,12}(```|~~~)/;
const halfFence = /^[ \t]{0,12}(`{0,2}|~{0,2})$/;
const longestFence = 15;

/** Tells whether a place in a growing text is in a block of code. */
export class CodeFence {
  #mark: string | undefined;
  #isLineStart = true;

  get isOpen(): boolean {
    return this.#mark !== undefined;
  }

  newLine(): void {
    this.#isLineStart = true;
  }

  /** Looks at what stands at `from`. False when too little of the line has come to tell. */
  look(text: string, from: number, isLast: boolean): boolean {
    if (!this.#isLineStart) return true;
    const line = text.slice(from, from + longestFence);
    if (!isLast && from + line.length === text.length && halfFence.test(line)) return false;
    this.#isLineStart = false;
    const mark = fence.exec(line)?.[1];
    if (this.#mark === undefined) this.#mark = mark;
    else if (mark === this.#mark) this.#mark = undefined;
    return true;
  }
}
