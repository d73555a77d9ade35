import { hintOf } from "@talaria/platforms";
import type { Platform } from "@talaria/protocol";

const plain = "Your answer is shown as text. Write Markdown: it is converted for this place. Keep answers short.";

/** What the system prompt says about writing on a platform. Part of the frozen prompt: change it rarely. */
export async function platformHint(platform: Platform): Promise<string> {
  return `# Where you write\n\n${(await hintOf(platform)) ?? plain}`;
}
