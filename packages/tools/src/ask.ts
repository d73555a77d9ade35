import { defineTool, type WaitingAnswer } from "@talaria/agent";
import { askedQuestionSchema, askTool, GatewayError, instantOf } from "@talaria/protocol";

/** How long people have to answer. */
const answerWithinMs = 24 * 3_600_000;

/** A question that waits. The worker shows it, the gate takes the answer of those who asked the agent, and of nobody else. */
export const ask = defineTool({
  name: askTool,
  description:
    "Asks the people who wrote to you to choose between 2 and 8 options, and waits for their choice, up to a day. Use it in the " +
    "middle of your work, for a decision that you can neither look up nor reasonably assume. To end your reply with a question, " +
    "use offer_choices.",
  effect: "read",
  permissions: ["send"],
  resources: () => [],
  input: askedQuestionSchema,
  async execute({ question }, { requesters, now }): Promise<WaitingAnswer> {
    if (!requesters.some(({ role, assurance }) => role === "person" && assurance !== "claimed"))
      throw new GatewayError("no person asks here who could answer", { code: "unsupported" });
    return { waitsFor: "form", shown: question, expiresAt: instantOf(now() + answerWithinMs) };
  },
});
