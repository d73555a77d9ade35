import { type PlanStep, readySteps } from "./check-plan.ts";

const marks: Readonly<Record<PlanStep["state"], string>> = {
  pending: " ",
  in_progress: ">",
  done: "x",
  cancelled: "-",
};

const empty = "The plan is empty.";
const stepLine = /^\[([ >x-])\] ([\w-]{1,20}): (.*?)(?: \(after ([\w-]+(?:, [\w-]+)*)\))?$/;

/** A plan as the model reads it, a line for each step, and what can begin now. */
export function shownPlan(steps: readonly PlanStep[]): string {
  if (steps.length === 0) return empty;
  const ready = readySteps(steps);
  const over = new Set(steps.filter(({ state }) => state === "done" || state === "cancelled").map((step) => step.id));
  const lines = steps.map(({ id, text, state, dependsOn }) => {
    const open = dependsOn.filter((other) => !over.has(other));
    const waits = over.has(id) || open.length === 0 ? "" : ` (after ${open.join(", ")})`;
    return `[${marks[state]}] ${id}: ${text.replace(/\s+/g, " ")}${waits}`;
  });
  const now = [...ready].filter((one) => steps.some(({ id, state }) => id === one && state === "pending"));
  const next = now.length === 0 ? [] : [`can begin now: ${now.join(", ")}`];
  return [...lines, `${over.size} of ${steps.length} are over`, ...next].join("\n");
}

/**
 * The steps of a plan that is shown so; what depended on steps that are over is not known any more. Undefined: the text is no such plan,
 * or not all of one.
 */
export function readPlan(plan: string): readonly PlanStep[] | undefined {
  const steps = plan.split("\n").flatMap((line): readonly PlanStep[] => {
    const [, mark, id, text, after] = stepLine.exec(line) ?? [];
    const state = states.find((one) => marks[one] === mark);
    if (state === undefined || id === undefined || text === undefined) return [];
    return [{ id, text, state, dependsOn: after === undefined ? [] : after.split(", ") }];
  });
  return shownPlan(steps) === plan ? steps : undefined;
}

const states = Object.keys(marks) as readonly PlanStep["state"][];
