import type { Workplace } from "@talaria/sandbox";
import { operatorLine } from "./operator-line.ts";

/** Says what workers report of their commands, files and browser: the first time, and whenever it is something else. */
export function workplaceNews(say: (line: string) => void): (stats: Readonly<Record<string, unknown>>) => void {
  let said: string | undefined;
  return (stats) => {
    const { line } = (stats.workplace ?? {}) as Partial<Workplace>;
    if (typeof line !== "string" || line === said) return;
    said = line;
    say(operatorLine({ line }));
  };
}
