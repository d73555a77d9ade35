import { defineTool, type ToolAnswer } from "@talaria/agent";
import { askedQuestionSchema, askTool, GatewayError, instantOf } from "@talaria/protocol";
import { offeredChoices } from "./offered-choices.ts";

/** How long people have to answer. */
const answerWithinMs = 24 * 3_600_000;

/**
 * A question with choices. One that waits is shown by the worker, and the gate takes the answer of those who asked the agent, and of
 * nobody else; any other stands below the reply, and whoever picks a choice says it.
 */
export const ask = defineTool({
  name: askTool,
  description:
    "Lets the people who wrote to you choose between 2 to 8 options. Your work waits for the choice, up to a day: for decisions that " +
    "you can neither look up nor assume. With `wait: false` the question ends your reply, and the choice is the next message: for " +
    "suggesting what to do next.",
  effect: "read",
  permissions: ["send"],
  resources: () => [],
  asksPeople: true,
  input: askedQuestionSchema,
  async execute({ question, choices, wait }, { requesters, now, idempotencyKey }): Promise<ToolAnswer> {
    if (!wait) {
      const content = "Your reply will end with this question and its choices.";
      return { content, reply: offeredChoices(question, choices, idempotencyKey) };
    }
    if (!requesters.some(({ role, assurance }) => role === "person" && assurance !== "claimed"))
      throw new GatewayError("no person asks here who could answer: pass `wait: false`, or decide yourself", {
        code: "unsupported",
      });
    return { waitsFor: "form", shown: question, expiresAt: instantOf(now() + answerWithinMs) };
  },
});
