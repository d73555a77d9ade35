import type { Platform } from "@talaria/protocol";

const plain = "Your answer is shown as text. Write Markdown: it is converted for this place. Keep answers short.";

const hints: Partial<Record<Platform, string>> = {
  telegram: "Your answer is shown in Telegram. Write Markdown: it is converted. Keep answers short, tables narrow.",
  discord: "Your answer is shown in Discord, which has no tables. Write Markdown. Keep answers short.",
  webhook: "You answer an automatic message from another system. Write Markdown, begin with what matters.",
  web: "Your answer is shown in a web chat that renders Markdown.",
};

/** What the system prompt says about writing on a platform. Part of the frozen prompt: change it rarely. */
export function platformHint(platform: Platform): string {
  return `# Where you write\n\n${hints[platform] ?? plain}`;
}
