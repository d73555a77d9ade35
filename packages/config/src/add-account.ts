import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { ConfigError } from "./problem.ts";

/**
 * The text of a configuration file with one more account, or with another entry in its place. Comments and order of
 * everything else stay. Throws ConfigError if the text is not a YAML mapping.
 */
export function addAccount(text: string, file: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  const document = readDocument(text, file);
  const accounts = document.get("accounts");
  if (!isMap(accounts)) document.set("accounts", document.createNode({}));
  document.setIn(["accounts", name], document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/**
 * The text with its first owner, such as `telegram:user:42`. A file that has an owner, or something else in the place of the
 * list, stays as it is. Throws as `addAccount`.
 */
export function addFirstOwner(text: string, file: string, principal: string): string {
  if (hasOwners(text)) return text;
  const document = readDocument(text, file);
  document.set("owners", document.createNode([principal]));
  return document.toString({ lineWidth: 0 });
}

/** Whether a configuration file's text has an owner, or something else under that key, which nobody must overwrite. */
export function hasOwners(text: string): boolean {
  const owners = parseDocument(text).get("owners");
  return isSeq(owners) ? owners.items.length > 0 : owners !== undefined && owners !== null;
}

/** Throws ConfigError if the text is not a YAML mapping. */
export function readDocument(text: string, file: string): Document {
  const document = parseDocument(text);
  const isUsable = document.errors.length === 0 && (document.contents === null || isMap(document.contents));
  if (isUsable) return document;
  const message = "the file is not valid YAML: correct it first (talaria check shows where)";
  throw new ConfigError([{ file, line: 0, column: 0, path: "", message }]);
}

/** Whether a configuration file's text has an entry of this name, whatever is in it. */
export function hasAccount(text: string, name: string): boolean {
  return parseDocument(text).hasIn(["accounts", name]);
}
