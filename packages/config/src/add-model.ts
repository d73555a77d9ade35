import { isMap, parseDocument } from "yaml";
import { readDocument } from "./add-account.ts";

/**
 * The text of a configuration file with one more model, or with another entry in its place. `isUsed`: the agent uses it from
 * now on. Comments and order of everything else stay. Throws ConfigError if the text is not a YAML mapping.
 */
export function addModel(
  text: string,
  file: string,
  model: { readonly name: string; readonly entry: Readonly<Record<string, unknown>>; readonly isUsed: boolean },
): string {
  const document = readDocument(text, file);
  for (const section of ["models", ...(model.isUsed ? ["agent"] : [])])
    if (!isMap(document.get(section))) document.set(section, document.createNode({}));
  document.setIn(["models", model.name], document.createNode(model.entry));
  if (model.isUsed) document.setIn(["agent", "model"], model.name);
  return document.toString({ lineWidth: 0 });
}

/** The text of a configuration file whose agent uses another of its models. Throws as `addModel`. */
export function useModel(text: string, file: string, name: string): string {
  const document = readDocument(text, file);
  if (!isMap(document.get("agent"))) document.set("agent", document.createNode({}));
  document.setIn(["agent", "model"], name);
  return document.toString({ lineWidth: 0 });
}

/** Whether a configuration file's text has a model of this name, whatever is in it. */
export function hasModel(text: string, name: string): boolean {
  return parseDocument(text).hasIn(["models", name]);
}
