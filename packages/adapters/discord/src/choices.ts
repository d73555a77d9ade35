import { type Choice, GatewayError } from "@talaria/protocol";
import type { DiscordComponents, DiscordInteraction } from "./wire.ts";

/** More choices than a row of buttons holds are a menu, which takes so many (docs.discord.com/developers/components/reference#string-select). */
const perRow = 5;
/** Of a message (docs.discord.com/developers/components/reference#action-row). */
export const maxRows = 5;
export const maxChoices = 25;
/** Discord counts characters; UTF-16 units are never fewer. */
export const maxLabelLength = 80;
const longestId = 100;
/** The id of the menu itself; no choice is called so. */
const menuId = "choices:";

/** Numbers of Discord's documentation. */
const types = { row: 1, button: 2, menu: 3 } as const;
const styles = { blue: 1, grey: 2, green: 3 } as const;

/** The buttons or the menu below a message; an empty list takes them away on an edit. */
export function toComponents(choices: readonly Choice[] = []): readonly object[] {
  if (choices.length > maxChoices)
    throw refused(`one discord message takes ${maxChoices} choices`, { maxChoices, choices: choices.length });
  if (choices.some(({ id }) => id === "" || id.length > longestId))
    throw refused("the id of a choice is empty or too long", { maxLength: longestId });
  if (new Set(choices.map(({ id }) => id)).size < choices.length) throw refused("two choices have the same id");
  if (choices.length === 0) return [];
  const rows = [...Map.groupBy(choices, (choice) => choice.row).values()];
  if (rows.length <= maxRows && rows.every(({ length }) => length <= perRow)) return rows.map(buttonRow);
  const options = choices.map((choice) => ({ label: labelled(choice), value: choice.id }));
  return [row([{ type: types.menu, custom_id: menuId, placeholder: "Choose", options }])];
}

function buttonRow(choices: readonly Choice[]): object {
  return row(
    choices.map((choice) => {
      return { type: types.button, style: styles.grey, custom_id: choice.id, label: labelled(choice) };
    }),
  );
}

function labelled({ id, label }: Choice): string {
  return shortened(label) || id.slice(0, maxLabelLength);
}

/** What is below a message after something was chosen: nothing can be pressed any more, and what was chosen is green or selected. */
export function spentComponents(rows: DiscordComponents, chosen: string): readonly object[] {
  return rows.filter(({ components }) => components.length > 0).map(({ components }) => row(components.map(spent)));

  function spent(component: DiscordComponents[number]["components"][number]): object {
    if (component.type === types.button) {
      const style = component.custom_id === chosen ? styles.green : styles.grey;
      return { ...component, style, label: component.label ?? component.custom_id, disabled: true };
    }
    const options = component.options.map((option) => ({ ...option, default: option.value === chosen }));
    return { ...component, placeholder: "Choose", options, disabled: true };
  }
}

/** What a press chooses: the button, or what was selected in a menu. */
export function chosenId({ data }: Pick<DiscordInteraction, "data">): string | undefined {
  return data?.custom_id === menuId ? data.values[0] : data?.custom_id;
}

/** What can be chosen below a message. */
export function actionIds(rows: DiscordComponents): readonly string[] {
  return choicesBelow(rows).map(([id]) => id);
}

/** What is written on a button of a message, or in its menu. */
export function labelOf(rows: DiscordComponents, actionId: string): string | undefined {
  return choicesBelow(rows).find(([id]) => id === actionId)?.[1];
}

function choicesBelow(rows: DiscordComponents): readonly (readonly [string, string | undefined])[] {
  return rows.flatMap(({ components }) =>
    components.flatMap((one) =>
      one.type === types.button
        ? [[one.custom_id, one.label] as const]
        : one.options.map(({ value, label }) => [value, label] as const),
    ),
  );
}

function row(components: readonly object[]): object {
  return { type: types.row, components };
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
