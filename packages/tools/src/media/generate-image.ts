import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import { imageShapes, type MediaPowers } from "./ports.ts";
import { fileNameFor, putIntoReply } from "./put-into-reply.ts";

const promptChars = 4_000;

/** Draws a picture, which goes out with the reply. It costs money: it counts as a write, so that no crash repeats it. */
export function createGenerateImage(makeImage: NonNullable<MediaPowers["makeImage"]>): Tool {
  return defineTool({
    name: "generate_image",
    description:
      `Makes a picture from a description of up to ${promptChars} characters and attaches it to your reply; say in your answer what it ` +
      "shows. It can take a few minutes and costs money, so make one at a time.",
    effect: "write",
    isRare: true,
    permissions: ["spend"],
    timeoutMs: 240_000,
    input: z.strictObject({
      prompt: z.string().trim().min(1).max(promptChars).describe("What the picture shows, in full detail."),
      shape: z.enum(imageShapes).optional(),
      name: z.string().max(100).default("picture").describe("File name without extension."),
    }),
    resources: () => [],
    async execute({ prompt, shape, name }, context) {
      const made = await makeImage({ prompt, shape }, context.signal);
      return await putIntoReply(made, fileNameFor(name, made.mimeType), context);
    },
  });
}
