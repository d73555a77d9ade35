import { defineTool, type WaitingAnswer } from "@talaria/agent";
import { askedQuestionSchema, askTool, GatewayError, instantOf } from "@talaria/protocol";

/** How long people have to answer. */
const answerWithinMs = 24 * 3_600_000;

/** A question that waits. The worker shows it, the gate takes the answer of those who asked the agent, and of nobody else. */
export const ask = defineTool({
  name: askTool,
  description:
    "Asks those who wrote to you a question that you need answered before you go on, with 2 to 8 choices. The result is " +
    "the choice that one of them makes, by a button or in words; nothing else runs on until then. For a suggestion at " +
    "the end of your reply use offer_choices.",
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
