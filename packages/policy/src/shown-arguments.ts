import type { NamedValue, Target } from "@talaria/protocol";
import { z } from "zod";

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
 * The arguments of a call that none of its targets says word for word, but for `said`. A key that is no word is shown in quotes, and so is a
 * text that would read as something else. What is no JSON object is shown as it is.
 */
export function otherArguments(
  text: string,
  targets: readonly Target[],
  said: readonly string[],
): readonly NamedValue[] | string {
  const given = argumentsIn(text);
  if (given === undefined) return text;
  return Object.entries(given)
    .filter(([key, value]) => !said.includes(key) && !isSaid(key, value, targets))
    .map(([key, value]) => ({ name: /^[\w.-]+$/.test(key) ? key : JSON.stringify(key), value: valueText(value) }));
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

/** Words as they are, everything else as JSON. */
function valueText(value: unknown): string {
  if (typeof value === "string") return isPlain(value) ? value : JSON.stringify(value);
  const line = JSON.stringify(value);
  return line.length <= 100 ? line : JSON.stringify(value, null, 1);
}

function isPlain(text: string): boolean {
  return text.trim() === text && text !== "" && !/^(?:["[{]|-?\d|true$|false$|null$)/.test(text);
}
