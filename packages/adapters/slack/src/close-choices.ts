import type { Chosen } from "@talaria/adapter-kit";
import { z } from "zod";
import { type Block, toNotice } from "./format.ts";
import type { SlackPress } from "./wire.ts";

/** Characters of one section. */
const longestSection = 3_000;

/**
 * A message without its buttons, with a line that says what was chosen. The payload of a press holds the message as it is
 * (docs.slack.dev/reference/interaction-payloads/block_actions-payload), and its other blocks go back as they came. Undefined for one
 * that has no buttons any more.
 */
export function closedContent({ text = "", blocks }: SlackPress["message"], chosen: Chosen | undefined) {
  const others = blocks.filter(({ type }) => type !== "actions");
  if (others.length === blocks.length) return undefined;
  const said = others.length > 0 ? others : sectionsOf(text);
  const line = chosen === undefined ? [] : [chosenLine(chosen)];
  const all = [...said, ...line];
  return { text: toNotice(text) || "…", ...(all.length > 0 ? { blocks: all } : {}) };
}

const actions = z.object({
  type: z.literal("actions"),
  elements: z.array(
    z.looseObject({ value: z.string().optional(), options: z.array(z.object({ value: z.string() })).optional() }),
  ),
});

/** The ids of what can be chosen below a message. */
export function choicesBelow({ message: { blocks } }: Pick<SlackPress, "message">): readonly string[] {
  return blocks.flatMap((block) => {
    const elements = actions.safeParse(block).data?.elements ?? [];
    return elements.flatMap(({ value, options = [] }) => [
      ...(value === undefined ? [] : [value]),
      ...options.map((option) => option.value),
    ]);
  });
}

function chosenLine({ label }: Chosen): Block {
  return { type: "context", elements: [{ type: "plain_text", text: `✓ ${label}`, emoji: true }] };
}

/** No document says whether the words of a message that was streamed stand in blocks beside its buttons: if not, they are kept from its text. */
function sectionsOf(text: string): readonly Block[] {
  const pieces = Array.from({ length: Math.ceil(text.length / longestSection) }, (_, n) =>
    text.slice(n * longestSection, (n + 1) * longestSection),
  );
  return pieces.map((piece) => ({ type: "section", text: { type: "mrkdwn", text: piece.toWellFormed() } }));
}
