import { isMap, parseDocument } from "yaml";
import { ConfigError } from "./problem.ts";

/**
 * The text of a configuration file with one more account, or with another entry in its place. Comments and order of
 * everything else stay. Throws ConfigError if the text is not a YAML mapping.
 */
export function addAccount(text: string, file: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  const document = parseDocument(text);
  const isUsable = document.errors.length === 0 && (document.contents === null || isMap(document.contents));
  if (!isUsable)
    throw new ConfigError([
      { file, line: 0, column: 0, path: "", message: "the file is not valid YAML: fix it first (npx talaria check)" },
    ]);
  const accounts = document.get("accounts");
  if (!isMap(accounts)) document.set("accounts", document.createNode({}));
  document.setIn(["accounts", name], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/** Whether a configuration file's text has an entry of this name, whatever is in it. */
export function hasAccount(text: string, name: string): boolean {
  return parseDocument(text).hasIn(["accounts", name]);
}
