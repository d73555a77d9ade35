import { visibleText } from "@talaria/protocol";

/** A fact as it is kept: one line, without what nobody sees. */
export function factText(text: string): string {
  return visibleText(text).replace(/\s+/g, " ").trim();
}
