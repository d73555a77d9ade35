import { type Choice, GatewayError } from "@talaria/protocol";
import type { InlineKeyboardMarkup } from "grammy/types";

/** Buttons of one inline keyboard. */
export const maxChoices = 100;
/** UTF-16 units. Telegram takes longer ones; apps cut them off. */
export const maxLabelLength = 64;
/** Bytes of what a button sends back. The id of a choice, at most 40 letters of ASCII, always fits. */
const maxDataBytes = 64;
/** Labels up to this length share a line, two by two, in each row. */
const shortLabel = 16;

/** The keyboard below a message; nothing without choices, which on an edit takes the buttons away. */
export function keyboardArgs(choices: readonly Choice[] = []): { readonly reply_markup?: InlineKeyboardMarkup } {
  if (choices.length === 0) return {};
  if (choices.length > maxChoices) throw refused(`one message takes ${maxChoices} buttons`, { max: maxChoices });
  const rows = Map.groupBy(choices, ({ row }) => row).values();
  return { reply_markup: { inline_keyboard: [...rows].flatMap(linesOf) } };
}

function linesOf(choices: readonly Choice[]): InlineKeyboardMarkup["inline_keyboard"] {
  const buttons = choices.map(({ id, label }) => {
    if (id === "" || Buffer.byteLength(id) > maxDataBytes) throw refused("the id of a choice is empty or too long");
    return { text: shortened(label) || id, callback_data: id };
  });
  const perLine = buttons.every(({ text }) => text.length <= shortLabel) ? 2 : 1;
  return Array.from({ length: Math.ceil(buttons.length / perLine) }, (_, line) =>
    buttons.slice(line * perLine, (line + 1) * perLine),
  );
}

function shortened(label: string): string {
  const line = label.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxLabelLength) return line;
  return `${line
    .slice(0, maxLabelLength - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "")}…`;
}

function refused(message: string, details: GatewayError["details"] = {}): GatewayError {
  return new GatewayError(message, { code: "invalid_request", details });
}
