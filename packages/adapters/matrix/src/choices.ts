import { cleanName } from "@talaria/adapter-kit";
import type { Choice } from "@talaria/protocol";
import { z } from "zod";
import { type Content, odd } from "./wire.ts";

/** The reactions that stand for the choices of a message, in their order. */
export const choiceKeys = ["1️⃣", "2️⃣", "3️⃣", "4️⃣", "5️⃣", "6️⃣", "7️⃣", "8️⃣", "9️⃣", "🔟"] as const;

/** UTF-16 units. A label is in the event three times, beside a text that takes up to a third of what an event holds. */
export const maxLabelLength = 80;

/**
 * Where a message of ours keeps its choices, so that a press is understood after a restart. Everybody in the room can see
 * it, and it says nothing that the text doesn't. The name follows the specification's rule for custom fields.
 */
const field = "org.talaria.choices";

/** The text with a line for each choice. */
export function withChoices(markdown: string, choices: readonly Choice[]): string {
  if (choices.length === 0) return markdown;
  const lines = choices
    .slice(0, choiceKeys.length)
    .map((choice, n) => `- ${choiceKeys[n]} ${escaped(labelOf(choice))}`);
  return [markdown, lines.join("\n")].filter((part) => part.trim() !== "").join("\n\n");
}

/** The field of a message that has choices; nothing for one without. */
export function choicesField(choices: readonly Choice[]): Content {
  if (choices.length === 0) return {};
  const kept = choices.slice(0, choiceKeys.length).map((choice) => ({ id: choice.id, label: labelOf(choice) }));
  return { [field]: kept };
}

const stored = z.object({
  [field]: odd(
    z
      .array(z.object({ id: z.string().regex(/^[\w-]{1,40}$/), label: z.string().max(maxLabelLength) }))
      .max(choiceKeys.length),
  ),
});

/** The choices of a message. Believe it only of our own: everybody can write such a field. */
export function choicesOf(content: Content): readonly Choice[] {
  return stored.safeParse(content).data?.[field] ?? [];
}

/** Which choice a reaction means; undefined for other reactions. Clients send a key with and without its variation selector. */
export function choiceIndex(key: string): number | undefined {
  const index = choiceKeys.findIndex((known) => bare(known) === bare(key));
  return index === -1 ? undefined : index;
}

function bare(key: string): string {
  return key.replaceAll("\uFE0F", "");
}

function labelOf({ id, label }: Choice): string {
  return cleanName(label).slice(0, maxLabelLength).toWellFormed() || id;
}

function escaped(label: string): string {
  return label.replaceAll(/[\\`*_{}[\]<>#|~!]/g, "\\$&");
}
