import { defineTool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { faultOf, type PlanStep, readySteps, stepStates } from "./check-plan.ts";

const limits = { steps: 50, textChars: 300, links: 20 };

const id = z.string().regex(/^[\w-]{1,20}$/);

/** The plan of a piece of work. It is kept in the conversation itself: each call gives the whole of it again. */
export const todo = defineTool({
  name: "todo",
  description:
    "Keeps a plan for work of more than three steps; skip it for less. Each call replaces the whole plan, so pass every step with " +
    "its state. Keep one step in progress, mark steps done as soon as they are, and add what turns up. The result says which steps " +
    `can start. Up to ${limits.steps} steps; an empty list clears the plan.`,
  effect: "read",
  permissions: [],
  timeoutMs: 10_000,
  input: z.strictObject({
    steps: z
      .array(
        z.strictObject({
          id,
          text: z.string().trim().min(1).max(limits.textChars),
          state: z.enum(stepStates).default("pending"),
          dependsOn: z.array(id).max(limits.links).default([]).describe("Ids of steps that must be done first."),
        }),
      )
      .max(limits.steps),
  }),
  resources: () => [],
  async execute({ steps }) {
    const fault = faultOf(steps);
    if (fault !== undefined) throw new GatewayError(`the plan is not taken: ${fault}`, { code: "invalid_request" });
    const plan = shown(steps);
    return { content: plan, did: [{ kind: "planned", plan }], details: { steps: steps.length } };
  },
});

const marks: Readonly<Record<PlanStep["state"], string>> = {
  pending: " ",
  in_progress: ">",
  done: "x",
  cancelled: "-",
};

function shown(steps: readonly PlanStep[]): string {
  if (steps.length === 0) return "The plan is empty.";
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
