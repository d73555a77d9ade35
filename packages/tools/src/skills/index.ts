import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { Skills } from "./ports.ts";

const mostNameChars = 200;
const mostPathChars = 200;

export function createSkillTools(skills: Skills): readonly Tool[] {
  return [
    defineTool({
      name: "skill",
      description: "Reads a skill, or a file of it. Words that are no skill's name find those that fit.",
      effect: "read",
      permissions: [],
      input: z.strictObject({
        name: z.string().min(1).max(mostNameChars),
        file: z.string().min(1).max(mostPathChars).optional().describe("Its path in the skill"),
      }),
      resources: () => [],
      async execute({ name, file }, reader) {
        const { content, isUntrusted } = await skills.read({ name, ...(file !== undefined && { file }) }, reader);
        return { content, ...(isUntrusted && { untrusted: true as const }) };
      },
    }),
  ];
}
