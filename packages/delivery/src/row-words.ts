import type { OutboxRow } from "@talaria/store";
import { type Words, wordsAt } from "@talaria/words";

/** What delivery says itself. */
export type Said = Words["deliveryNotices"];

/** The same in the language of whoever reads a row. */
export function saidIn(row: Pick<OutboxRow, "conversation" | "language">): Said {
  return wordsAt(row).deliveryNotices;
}
