import type { Interview } from "./interview.ts";
import { LineInterview } from "./line-interview.ts";

/** Plain lines where a program writes them. */
export async function openInterview(): Promise<Interview> {
  return new LineInterview();
}
