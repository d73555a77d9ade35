import { suggestName, type TalariaConfig } from "@talaria/config";
import { shownWord } from "../shown-word.ts";

type Models = TalariaConfig["models"];

/** The entry of this name. Throws a sentence that names those that there are, and a near miss. */
export function namedModel(models: Models, name: string): Models[string] {
  const entry = Object.hasOwn(models, name) ? models[name] : undefined;
  if (entry !== undefined) return entry;
  const names = Object.keys(models);
  const near = suggestName(name, names);
  const asked = near === undefined ? "" : `; ${near}`;
  throw new Error(
    `there is no model ${shownWord(name)} in the configuration: there is ${names.join(", ")}${asked}. \`talaria setup model --name NAME\` adds one`,
  );
}
