/** An item with words of its own on its first line, at the margin. */
const itemStart = /^([-+*]|\d{1,9}[.)])( {1,4})(?=[^\s])/;
/** Rules, and fences that an item may leave open. */
const unsure = /^[-*_][-*_ \t]*$|`{3}|~{3}/;

/** Follows the lines of a list at the margin. */
export class ListItems {
  /** What marks the items: `-`, `+`, `*`, `.` or `)`. Undefined outside a list, and where it is uncertain what an item holds. */
  #sign: string | undefined;
  /** How far a line must be indented to belong to the item, in columns. */
  #indentation = 0;

  /** Reads a line outside fences. True if it certainly starts the next item of the list followed so far. */
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
