import { type Choice, GatewayError } from "@talaria/protocol";
import type { DiscordComponents } from "./wire.ts";

/** Discord takes five rows of five buttons. */
const perRow = 5;
export const maxChoices = 25;
/** Discord counts characters; UTF-16 units are never fewer. */
export const maxLabelLength = 80;
const longestId = 100;

/** Numbers of Discord's documentation. */
const types = { row: 1, button: 2 } as const;
const styles = { blue: 1, grey: 2, green: 3 } as const;

/** The rows of buttons below a message; an empty list takes them away on an edit. */
export function toComponents(choices: readonly Choice[] = []): readonly object[] {
  if (choices.length > maxChoices)
    throw refused(`one discord message takes ${maxChoices} buttons`, { maxChoices, choices: choices.length });
  if (choices.some(({ id }) => id === "" || id.length > longestId))
    throw refused("the id of a choice is empty or too long", { maxLength: longestId });
  if (new Set(choices.map(({ id }) => id)).size < choices.length) throw refused("two choices have the same id");
  const buttons = choices.map(({ id, label }) => {
    return {
      type: types.button,
      style: styles.grey,
      custom_id: id,
      label: shortened(label) || id.slice(0, maxLabelLength),
    };
  });
  return Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) => {
    return { type: types.row, components: buttons.slice(row * perRow, (row + 1) * perRow) };
  });
}

/** The buttons of a message after one was pressed: none can be pressed any more, and the pressed one is green. */
export function spentComponents(rows: DiscordComponents, pressed: string): readonly object[] {
  return rows
    .map(({ components }) => ({
      type: types.row,
      components: components.map(({ custom_id, label }) => {
        const style = custom_id === pressed ? styles.green : styles.grey;
        return { type: types.button, style, custom_id, label: label ?? custom_id, disabled: true };
      }),
    }))
    .filter(({ components }) => components.length > 0);
}

/** What is written on a button of a message. */
export function labelOf(rows: DiscordComponents, actionId: string): string | undefined {
  return rows.flatMap(({ components }) => components).find(({ custom_id }) => custom_id === actionId)?.label;
}

function shortened(label: string): string {
  const line = label.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxLabelLength) return line;
  const head = line.slice(0, maxLabelLength - 1).toWellFormed();
  return `${head.replace(/\uFFFD$/, "")}…`;
}

function refused(message: string, details: GatewayError["details"] = {}): GatewayError {
  return new GatewayError(message, { code: "invalid_request", details });
}
