import type { Target } from "@talaria/protocol";
import { z } from "zod";

/** A longer value has lines of its own. */
const longestLine = 100;

/** Where tools of ours and of others have what their targets say. */
const keysOf: Readonly<Record<Target["kind"] | "host", readonly string[]>> = {
  command: ["command", "code"],
  url: ["url"],
  host: ["network"],
  path: ["path"],
  recipient: ["to"],
  secret: ["secret", "secrets"],
};

/**
 * The arguments of a call that none of its targets says word for word, each as `key: value`. Of a text with several lines each line is
 * indented, so that none of them looks like one of ours. What is no JSON object is shown as it is.
 */
export function otherArguments(text: string, targets: readonly Target[]): string {
  const given = argumentsIn(text);
  if (given === undefined) return text;
  return Object.entries(given)
    .filter(([key, value]) => !isSaid(key, value, targets))
    .map(([key, value]) => lineOf(key, value))
    .join("\n");
}

function argumentsIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function isSaid(key: string, value: unknown, targets: readonly Target[]): boolean {
  const said = targets.filter((target) => keysOf[kindOf(target)].includes(key)).map(wordsOf);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.length > 0 && values.every((one) => said.includes(one));
}

function kindOf(target: Target): keyof typeof keysOf {
  return target.kind === "url" && target.host !== undefined ? "host" : target.kind;
}

/** As the line about it has it. Undefined: it has no line, or not this text. */
function wordsOf(target: Target): unknown {
  if (target.kind === "path") return target.path;
  if (target.kind === "recipient") return target.isOrigin ? undefined : target.recipient;
  if (target.kind === "secret") return target.name;
  if (target.kind === "url") return target.host ?? target.url;
  return typeof target.command === "string" ? target.command : undefined;
}

function lineOf(key: string, value: unknown): string {
  const name = /^[\w.-]+$/.test(key) ? key : JSON.stringify(key);
  if (typeof value === "string" && value.includes("\n")) return `${name}:\n${indented(value)}`;
  const line = JSON.stringify(value);
  if (line.length <= longestLine || typeof value !== "object") return `${name}: ${line}`;
  return `${name}:\n${indented(JSON.stringify(value, null, 1))}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}
