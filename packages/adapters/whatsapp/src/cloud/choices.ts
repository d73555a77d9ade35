import { cleanName } from "@talaria/adapter-kit";
import type { Choice } from "@talaria/protocol";
import {
  maxButtons,
  maxButtonTextLength,
  maxButtonTitle,
  maxRowDescription,
  maxRows,
  maxRowTitle,
} from "./capabilities.ts";

/** Opens a list of choices; at most 20 characters. */
const listButton = "Choose";

/**
 * The `interactive` part of a message: up to three buttons with short labels below a short text, else a list that opens
 * when it is tapped. A label that a list shortens is shown in full below it. WhatsApp refuses equal labels, so later ones are numbered.
 */
export function interactiveOf(text: string, choices: readonly Choice[]): object {
  const labels = choices.map(({ label, id }) => cleanName(label) || id);
  const fitsButtons =
    choices.length <= maxButtons &&
    text.length <= maxButtonTextLength &&
    labels.every((label) => label.length <= maxButtonTitle);
  const body = { text };
  if (fitsButtons) {
    const titles = distinct(labels, maxButtonTitle);
    const buttons = choices.map(({ id }, n) => ({ type: "reply", reply: { id, title: titles[n] } }));
    return { type: "button", body, action: { buttons } };
  }
  const titles = distinct(labels, maxRowTitle);
  const rows = choices.slice(0, maxRows).map(({ id }, n) => {
    const label = labels[n] ?? "";
    const description = label === titles[n] ? {} : { description: shortened(label, maxRowDescription) };
    return { id, title: titles[n], ...description };
  });
  return { type: "list", body, action: { button: listButton, sections: [{ title: listButton, rows }] } };
}

function distinct(labels: readonly string[], longest: number): readonly string[] {
  const taken = new Set<string>();
  return labels.map((label) => {
    let title = shortened(label, longest);
    for (let n = 2; taken.has(title); n += 1) title = `${shortened(label, longest - 4)} ${n}`;
    taken.add(title);
    return title;
  });
}

/** Cut between characters as people see them. */
function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    if (cut.length + segment.length > longest - 1) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
