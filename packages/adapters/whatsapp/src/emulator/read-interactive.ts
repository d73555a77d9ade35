import { invalid } from "./graph-error.ts";
import { array, type Json, maxText, object, onlyKeys, text } from "./read-json.ts";
import type { SeenWhatsappChoice } from "./seen-message.ts";

export interface Interactive {
  readonly text: string;
  readonly form: "buttons" | "list";
  readonly choices: readonly SeenWhatsappChoice[];
}

/** Reads `interactive` as strictly as Meta does: up to three buttons, or a list of up to ten rows. */
export function readInteractive(value: Json): Interactive {
  onlyKeys(value, "interactive", ["type", "header", "body", "footer", "action"]);
  const action = object(value, "action");
  if (value.type === "button") {
    const body = maxText(text(object(value, "body"), "text"), 1_024, "interactive['body']['text']");
    const choices = array(action, "buttons", 1, 3).map((button) => {
      if (button.type !== "reply") throw invalid("Unsupported Interactive Message button type");
      return choiceOf(object(button, "reply"), 256, 20, ["id", "title"]);
    });
    unique(choices, "Button");
    return { text: body, form: "buttons", choices };
  }
  if (value.type !== "list") throw invalid(`Unsupported Interactive Message type: ${String(value.type)}`);
  const body = maxText(text(object(value, "body"), "text"), 4_096, "interactive['body']['text']");
  maxText(text(action, "button"), 20, "interactive['action']['button']");
  const sections = array(action, "sections", 1, 10);
  const choices = sections.flatMap((section) => {
    if (sections.length > 1 || section.title !== undefined) maxText(text(section, "title"), 24, "section title");
    return array(section, "rows", 1, 10).map((row) => choiceOf(row, 200, 24, ["id", "title", "description"]));
  });
  if (choices.length > 10) throw invalid("Total row count exceed max allowed count: 10");
  unique(choices, "Row");
  return { text: body, form: "list", choices };
}

function choiceOf(value: Json, maxId: number, maxTitle: number, keys: readonly string[]): SeenWhatsappChoice {
  onlyKeys(value, "interactive", keys);
  const id = maxText(text(value, "id"), maxId, "id");
  const title = maxText(text(value, "title"), maxTitle, "title");
  if (value.description === undefined) return { id, title };
  return { id, title, description: maxText(text(value, "description"), 72, "description") };
}

function unique(choices: readonly SeenWhatsappChoice[], what: string): void {
  for (const key of ["id", "title"] as const)
    if (new Set(choices.map((choice) => choice[key])).size < choices.length && (key === "id" || what === "Button"))
      throw invalid(`Duplicated ${what} ${key}s`);
}
