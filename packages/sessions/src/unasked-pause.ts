import type { UnaskedPause } from "@talaria/store";
import { english, type Reader, wordsFor } from "@talaria/words";

const turns = 20;

/** A model that begins one process after the other would go on until its limit of a day; each end begins a turn of its own. */
export function unaskedPauseFor(reader: Reader): UnaskedPause {
  return { turns, markdown: wordsFor(reader).unaskedPause(turns) };
}

/** The same where it is not known who reads it. */
export const unaskedPause: UnaskedPause = { turns, markdown: english.unaskedPause(turns) };
