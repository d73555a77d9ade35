/** An item with words of its own on its first line, at the margin. */
const itemStart = /^([-+*]|\d{1,9}[.)])( {1,4})(?=[^\s])/;
/** Rules, and fences, which an item may leave open. */
const unsure = /^[-*_][-*_ \t]*$|`{3}|~{3}/;

/** Follows the lines of a list at the margin. */
export class ListItems {
  /** What marks the items: `-`, `+`, `*`, `.` or `)`. Undefined outside, and where it is not sure what an item holds. */
  #sign: string | undefined;
  /** Columns a line needs to belong to the item. */
  #indentation = 0;

  /** Reads a line outside fences. True when it surely begins the next item of the list that was followed so far. */
  isNext(line: string, mayBegin: boolean): boolean {
    const [start, marker = "", blanks = ""] = unsure.test(line) ? [] : (itemStart.exec(line) ?? []);
    if (start === undefined) {
      const isInside = line === "" || (!unsure.test(line) && line.search(/[^ ]/) >= this.#indentation);
      if (!isInside) this.#sign = undefined;
      return false;
    }
    const sign = marker.charAt(marker.length - 1);
    const isNext = this.#sign === sign;
    this.#sign = isNext || mayBegin ? sign : undefined;
    this.#indentation = marker.length + blanks.length;
    return isNext;
  }
}
