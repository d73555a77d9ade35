import { suggestName } from "@talaria/config";
import type { Choice, ChoiceOption } from "./interview.ts";

/** What was meant by what was typed. */
export type Picked =
  | { readonly kind: "value"; readonly value: string }
  /** Several have it in their names. */
  | { readonly kind: "several"; readonly options: readonly ChoiceOption[] }
  | { readonly kind: "none"; readonly hint: string };

/** By number, whole name, other word, or a part of a name; `=name` is a name that need not be listed. */
export function pickOption(choice: Choice, typed: string): Picked {
  const { options, isOpen = false, meant } = choice;
  const word = typed.trim();
  if (isOpen && word.startsWith("=") && word.length > 1) return { kind: "value", value: word.slice(1).trim() };
  const numbered = /^\d{1,4}$/.test(word) ? options[Number(word) - 1] : undefined;
  const lower = word.toLowerCase();
  const named = options.find(({ value, label }) => [value, label].some((name) => name?.toLowerCase() === lower));
  const value = named?.value ?? numbered?.value ?? meant?.(word);
  if (value !== undefined) return { kind: "value", value };
  const parts = options.filter((option) => textOf(option).includes(lower));
  if (lower !== "" && parts.length > 0) return { kind: "several", options: parts };
  if (isOpen && word !== "") return { kind: "value", value: word };
  const near = suggestName(
    word,
    options.map((option) => option.value),
  );
  return { kind: "none", hint: `"${word.slice(0, 100)}" is none of these${near === undefined ? "" : `: ${near}`}` };
}

function textOf({ value, label = "" }: ChoiceOption): string {
  return `${value} ${label}`.toLowerCase();
}
