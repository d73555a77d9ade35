import { invalidField } from "./api-error.ts";

/** Limits of Discord's documentation for rows of buttons, before components version 2. */
const limits = { rows: 5, perRow: 5, label: 80, customId: 100, options: 25 } as const;
const linkStyle = 5;

type Fields = Readonly<Record<string, unknown>>;

/** A button, or an option of a menu, as people see it. */
export interface SeenDiscordButton {
  readonly id: string;
  readonly label: string;
  readonly isDisabled: boolean;
  /** Green, or selected. */
  readonly isChosen: boolean;
  /** The `custom_id` of the menu that it is an option of. */
  readonly menu?: string;
}

/** The rows of buttons of a call; undefined when it names none. Refuses what Discord refuses. */
export function readComponents({ components }: Fields): readonly unknown[] | undefined {
  if (components === undefined || components === null) return undefined;
  if (!Array.isArray(components))
    throw invalidField("components", "BASE_TYPE_CHOICES", "Only iterables may be used in a ArrayType");
  checkCount(components, limits.rows, "components");
  const ids = new Set<string>();
  for (const [r, row] of components.entries()) {
    const { type, components: buttons } = fieldsOf(row);
    if (type !== 1) throw invalidField(`components.${r}.type`, "BASE_TYPE_CHOICES", "Value must be one of (1,).");
    const path = `components.${r}.components`;
    if (!Array.isArray(buttons) || buttons.length === 0)
      throw invalidField(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
    checkCount(buttons, limits.perRow, path);
    if (buttons.some((one) => fieldsOf(one).type === 3)) {
      if (buttons.length > 1) throw invalidField(path, "BASE_TYPE_BAD_LENGTH", "A menu has a row for itself.");
      checkMenu(fieldsOf(buttons[0]), `${path}.0`);
      continue;
    }
    for (const [b, button] of buttons.entries()) checkButton(fieldsOf(button), `${path}.${b}`, ids);
  }
  return components;
}

/** Every button of a message, row by row. */
export function buttonsOf(components: readonly unknown[]): readonly SeenDiscordButton[] {
  return components
    .flatMap((row) => {
      const { components: buttons } = fieldsOf(row);
      return Array.isArray(buttons) ? buttons.map(fieldsOf) : [];
    })
    .flatMap(({ custom_id, label, disabled, style, options }) => {
      const isDisabled = disabled === true;
      if (!Array.isArray(options))
        return [{ id: String(custom_id ?? ""), label: String(label ?? ""), isDisabled, isChosen: style === 3 }];
      const menu = String(custom_id ?? "");
      return options.map(fieldsOf).map((option) => {
        const isChosen = option.default === true;
        return { id: String(option.value), label: String(option.label), isDisabled, isChosen, menu };
      });
    });
}

function checkButton({ type, style, custom_id: id, label, emoji }: Fields, path: string, ids: Set<string>): void {
  if (type !== 2)
    throw invalidField(
      `${path}.type`,
      "UNION_TYPE_CHOICES",
      'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).',
    );
  if (typeof style !== "number" || style < 1 || style > linkStyle)
    throw invalidField(`${path}.style`, "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5).");
  if (label === undefined && emoji === undefined)
    throw invalidField(path, "BUTTON_COMPONENT_INVALID_LABEL", "A button has a label or an emoji.");
  if (typeof label === "string" && (label === "" || label.length > limits.label))
    throw invalidField(`${path}.label`, "BASE_TYPE_BAD_LENGTH", `Must be between 1 and ${limits.label} in length.`);
  if (style === linkStyle) return;
  if (typeof id !== "string" || id === "" || id.length > limits.customId)
    throw invalidField(
      `${path}.custom_id`,
      "BASE_TYPE_BAD_LENGTH",
      `Must be between 1 and ${limits.customId} in length.`,
    );
  if (ids.has(id))
    throw invalidField(
      `${path}.custom_id`,
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
    );
  ids.add(id);
}

/** docs.discord.com/developers/components/reference#string-select */
function checkMenu({ custom_id: id, options, placeholder }: Fields, path: string): void {
  const isText = (value: unknown, max: number) => typeof value === "string" && value !== "" && value.length <= max;
  const refused = (field: string) =>
    invalidField(`${path}.${field}`, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  if (!isText(id, limits.customId)) throw refused("custom_id");
  if (placeholder !== undefined && !isText(placeholder, 150)) throw refused("placeholder");
  if (!Array.isArray(options) || options.length === 0) throw refused("options");
  checkCount(options, limits.options, `${path}.options`);
  const given = options.map(fieldsOf);
  if (given.some(({ label, value }) => !isText(label, 100) || !isText(value, 100))) throw refused("options");
  if (new Set(given.map(({ value }) => value)).size < given.length) throw refused("options");
  if (given.filter((option) => option.default === true).length > 1) throw refused("options");
}

function checkCount(list: readonly unknown[], max: number, path: string): void {
  if (list.length > max) throw invalidField(path, "BASE_TYPE_MAX_LENGTH", `Must be ${max} or fewer in length.`);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
