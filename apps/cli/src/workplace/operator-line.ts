import type { Workplace } from "@talaria/sandbox";

/** The line for whoever can run something, who may leave that to us. */
export function operatorLine({ line }: Pick<Workplace, "line">): string {
  return line.includes("; run: ") ? `${line} (talaria setup sandbox offers to run it)` : line;
}
