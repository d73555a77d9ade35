import type { UnaskedPause } from "@talaria/store";
import { counted } from "./approval-notices.ts";

const turns = 20;

/** A model that begins one process after the other would go on until its limit of a day; each end begins a turn of its own. */
export const unaskedPause: UnaskedPause = {
  turns,
  markdown: `I've worked ${counted(turns, "time")} in a row on what had ended or expired, without a word from anybody here, so I've paused. Write something, such as "continue", and I go on with what has happened since; \`/stop\` drops it.`,
};
