/** Work that can pause between two steps. Before each step it yields how many UTF-16 units that step will read. */
export type Steps<Result> = Generator<number, Result, void>;

/** Units read between two pauses: some milliseconds, unless one step alone takes longer. */
const unitsPerTurn = 2_048;

/** Does all the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Does the work, awaiting `pause` from time to time so that other work gets its turn. Rejects when `pause` does. */
export async function cooperatively<Result>(steps: Steps<Result>, pause: () => Promise<void>): Promise<Result> {
  let units = 0;
  let step = steps.next();
  while (step.done !== true) {
    if (units > 0 && units + step.value > unitsPerTurn) {
      await pause();
      units = 0;
    }
    units += step.value;
    step = steps.next();
  }
  return step.value;
}
