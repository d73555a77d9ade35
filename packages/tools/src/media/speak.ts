import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { MediaPowers } from "./ports.ts";
import { fileNameFor, putIntoReply } from "./put-into-reply.ts";

/** The limit of OpenAI's endpoint. */
const textChars = 4_096;

/** Says a text aloud; the recording goes out with the reply. */
export function createSpeak(speak: NonNullable<MediaPowers["speak"]>): Tool {
  return defineTool({
    name: "speak",
    description:
      `Reads a text of up to ${textChars} characters aloud and attaches the recording to your reply. Use it when people want to hear ` +
      "something. Write plain sentences: markup would be read out.",
    effect: "write",
    isRare: true,
    permissions: ["spend"],
    timeoutMs: 120_000,
    input: z.strictObject({
      text: z.string().trim().min(1).max(textChars),
      voice: z.string().max(60).optional().describe("A voice of the service. Leave it out unless people ask for one."),
    }),
    resources: () => [],
    async execute({ text, voice }, context) {
      const made = await speak({ text, ...(voice !== undefined && { voice }) }, context.signal);
      return await putIntoReply(made, fileNameFor("speech", made.mimeType), context);
    },
  });
}
