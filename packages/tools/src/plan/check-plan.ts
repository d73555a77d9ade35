export const stepStates = ["pending", "in_progress", "done", "cancelled"] as const;

export interface PlanStep {
  readonly id: string;
  readonly text: string;
  readonly state: (typeof stepStates)[number];
  readonly dependsOn: readonly string[];
}

/** What is wrong with a plan, in a sentence for whoever wrote it; undefined when nothing is. Time grows with steps and links. */
export function faultOf(steps: readonly PlanStep[]): string | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  if (byId.size < steps.length) {
    const twice = steps.find((step) => byId.get(step.id) !== step);
    return `two steps have the id "${twice?.id}"`;
  }
  for (const { id, dependsOn } of steps) {
    const unknown = dependsOn.find((other) => !byId.has(other));
    if (unknown !== undefined) return `step "${id}" depends on "${unknown}", which is no step of the plan`;
  }
  const circle = circleIn(byId);
  if (circle !== undefined) return `these steps wait for each other: ${circle.join(" -> ")}`;
  return steps.map((step) => earlyStart(step, byId)).find((fault) => fault !== undefined);
}

/** The steps that can be worked on now: all they depend on is done or cancelled. */
export function readySteps(steps: readonly PlanStep[]): ReadonlySet<string> {
  const over = new Set(steps.filter(isOver).map(({ id }) => id));
  return new Set(
    steps.filter((step) => !isOver(step) && step.dependsOn.every((id) => over.has(id))).map(({ id }) => id),
  );
}

function isOver({ state }: PlanStep): boolean {
  return state === "done" || state === "cancelled";
}

function earlyStart({ id, state, dependsOn }: PlanStep, byId: ReadonlyMap<string, PlanStep>): string | undefined {
  if (state !== "in_progress" && state !== "done") return undefined;
  const open = dependsOn.find((other) => {
    const step = byId.get(other);
    return step !== undefined && !isOver(step);
  });
  return open === undefined ? undefined : `step "${id}" is ${state}, but "${open}", which it depends on, is not done`;
}

/** Steps that lead back to the first of them. Takes away what depends on nothing until nothing is left, or only circles. */
function circleIn(byId: ReadonlyMap<string, PlanStep>): readonly string[] | undefined {
  const left = new Map([...byId].map(([id, { dependsOn }]) => [id, new Set(dependsOn)]));
  const dependents = Map.groupBy(
    [...byId.values()].flatMap(({ id, dependsOn }) => dependsOn.map((other) => ({ id, other }))),
    ({ other }) => other,
  );
  const free = [...left].filter(([, waitsFor]) => waitsFor.size === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    left.delete(id);
    for (const dependent of dependents.get(id) ?? []) {
      const waitsFor = left.get(dependent.id);
      if (waitsFor?.delete(id) && waitsFor.size === 0) free.push(dependent.id);
    }
  }
  const [start] = left.keys();
  return start === undefined ? undefined : walkBack(start, left);
}

/** Everything that is left waits for something that is left: walking on must come back to where it was. */
function walkBack(start: string, left: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const seen: string[] = [];
  let id: string = start;
  while (!seen.includes(id)) {
    seen.push(id);
    const [next = id] = [...(left.get(id) ?? [])].filter((other) => left.has(other));
    id = next;
  }
  return [...seen.slice(seen.indexOf(id)), id];
}
