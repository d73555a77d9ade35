import { defineTool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { faultOf, type PlanStep, stepStates } from "./check-plan.ts";
import { readPlan, shownPlan } from "./shown-plan.ts";

const limits = { steps: 50, textChars: 300, links: 20 };

const id = z.string().regex(/^[\w-]{1,20}$/);
const text = z.string().trim().min(1).max(limits.textChars);

const change = z.strictObject({
  step: z.preprocess((step) => (typeof step === "number" ? String(step) : step), id).describe("Id or number"),
  state: z.string().pipe(z.enum(stepStates)).optional(),
  text: text.optional(),
});

/** The plan of a piece of work. It is kept in the conversation itself: each result is the whole of it. */
export const todo = defineTool({
  name: "todo",
  description:
    "Keeps a plan for work of more than three steps. steps replaces the plan (empty: clears it), changes changes single steps. Keep one " +
    "in progress, mark steps done as soon as they are, add what turns up. The result says which can start.",
  effect: "read",
  isOrdered: true,
  permissions: [],
  timeoutMs: 10_000,
  input: z
    .strictObject({
      steps: z
        .array(
          z.strictObject({
            id,
            text,
            state: z.enum(stepStates).default("pending"),
            dependsOn: z.array(id).max(limits.links).default([]),
          }),
        )
        .max(limits.steps)
        .optional(),
      changes: z.array(change).min(1).max(limits.steps).optional(),
    })
    .refine(
      ({ steps, changes }) => (steps === undefined) !== (changes === undefined),
      "pass either `steps` or `changes`",
    ),
  resources: () => [],
  async execute({ steps, changes = [] }, { plan }) {
    const next = steps ?? changed(planned(plan), changes);
    const fault = faultOf(next);
    if (fault !== undefined) throw notTaken(fault);
    const list = shownPlan(next);
    return { content: list, did: [{ kind: "planned", plan: list }], details: { steps: next.length } };
  },
});

function planned(plan: string | undefined): readonly PlanStep[] {
  const steps = plan === undefined ? [] : readPlan(plan);
  if (steps === undefined) throw notTaken("the one before can't be read any more: pass all `steps`");
  if (steps.length === 0) throw notTaken("there is none yet: pass `steps`");
  return steps;
}

function changed(steps: readonly PlanStep[], changes: readonly z.output<typeof change>[]): readonly PlanStep[] {
  return changes.reduce((all, { step, state, text: words }) => {
    const named = all.findIndex((one) => one.id === step);
    const index = named === -1 ? Number(step) - 1 : named;
    const old = all[index];
    if (old === undefined) throw notTaken(`"${step}" is no step: there are ${all.map((one) => one.id).join(", ")}`);
    return all.with(index, { ...old, ...(state && { state }), ...(words && { text: words }) });
  }, steps);
}

function notTaken(fault: string): GatewayError {
  return new GatewayError(`the plan is not taken: ${fault}`, { code: "invalid_request" });
}
