import type { Interview } from "./interview.ts";
import { LineInterview } from "./line-interview.ts";

const fewestColumns = 20;

/** Lists to choose from at a terminal that can show them; plain lines at any other, and where programs write them. */
export async function openInterview(): Promise<Interview> {
  const { stdin, stdout, env } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && stdout.columns >= fewestColumns;
  if (!isTerminal || env.TERM === "dumb") return new LineInterview();
  const { TerminalInterview } = await import("./terminal-interview.ts");
  return new TerminalInterview();
}
