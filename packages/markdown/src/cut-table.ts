import type { Table } from "mdast";
import type { Cut, Room } from "./cut.ts";
import { largestCount } from "./largest-count.ts";
import type { Steps } from "./steps.ts";

/** Cuts a table between two rows; both sides start with the header. `start` is where `source` begins in the node's text. */
export function* cutTable(source: string, node: Table, start: number, room: Room): Steps<Cut | undefined> {
  const starts = node.children.map((row) => (row.position?.start.offset ?? 0) - start);
  const [, firstRow, ...others] = starts;
  if (firstRow === undefined) return undefined;
  const header = source.slice(0, firstRow);
  const cutAt = (count: number) => others[count - 1] ?? source.length;
  const count = yield* largestCount(others.length, (rows) => source.slice(0, cutAt(rows)).trimEnd(), room);
  if (count === 0) return undefined;
  return { head: source.slice(0, cutAt(count)).trimEnd(), tail: header + source.slice(cutAt(count)) };
}
