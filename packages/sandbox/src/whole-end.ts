import { finished } from "node:stream/promises";
import type { RunningProgram } from "./place.ts";

/**
 * The end of a program once whoever listens to its output has all of it: the end alone may be told first. Never rejects. `End` is what
 * its backend tells.
 */
export async function wholeEnd<End>({
  output,
  ended,
}: Pick<RunningProgram, "output"> & { readonly ended: Promise<End> }): Promise<End> {
  // A reader that is killed with its program gets no end of the output.
  const read = finished(output, { writable: false }).catch(() => undefined);
  const end = await ended;
  await read;
  return end;
}
