import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { ConfigError } from "./problem.ts";

/**
 * The text of a configuration file with one more account. Of one that is there for the same platform, only what the entry names changes, and
 * it is switched on; one of another platform is replaced. Comments and order of everything else stay. Throws ConfigError if the text is not a
 * YAML mapping.
 */
export function addAccount(text: string, file: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  const document = readDocument(text, file);
  const accounts = document.get("accounts");
  if (!isMap(accounts)) document.set("accounts", document.createNode({}));
  const place = ["accounts", name];
  const before = document.getIn(place);
  if (isMap(before) && before.get("platform") === entry.platform) {
    change(document, place, entry);
    if (before.get("enabled") === false) before.delete("enabled");
  } else document.setIn(place, document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

function change(document: Document, place: readonly string[], entry: object): void {
  for (const [key, value] of Object.entries(entry)) {
    const path = [...place, key];
    const isSection = typeof value === "object" && value !== null && !Array.isArray(value) && !("file" in value);
    if (isSection && isMap(document.getIn(path))) change(document, path, value);
    else if (document.getIn(path) !== value) document.setIn(path, document.createNode(value));
  }
}

/** The text in which the account lets `principal` in, too: `telegram:user:42`. Throws as `addAccount`. */
export function allowPerson(text: string, file: string, name: string, principal: string): string {
  const document = readDocument(text, file);
  const place = ["accounts", name, "access", "allow"];
  const list = document.getIn(place);
  if (!isSeq(list)) document.setIn(place, document.createNode([principal]));
  else if (!(list.toJSON() as readonly unknown[]).includes(principal)) list.add(document.createNode(principal));
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

/** Undefined: the text has no entry of this name; empty: it names no platform. */
export function accountPlatform(text: string, name: string): string | undefined {
  const document = parseDocument(text);
  if (!document.hasIn(["accounts", name])) return undefined;
  const platform = document.getIn(["accounts", name, "platform"]);
  return typeof platform === "string" ? platform : "";
}
