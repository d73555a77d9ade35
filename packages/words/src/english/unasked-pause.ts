import { counted } from "./spans.ts";

/** A model that begins one process after the other is paused after so many turns of which nobody has said a word. */
export function unaskedPause(turns: number): string {
  return `I've worked ${counted(turns, "time")} in a row on what had ended or expired, without a word from anybody here, so I've paused. Write something, such as "continue", and I go on with what has happened since; \`/stop\` drops it.`;
}
