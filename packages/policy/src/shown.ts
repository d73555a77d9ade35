import type { Target } from "@talaria/protocol";
import { otherArguments } from "./shown-arguments.ts";
import { addressOf } from "./url-pattern.ts";

type Command = Extract<Target, { readonly kind: "command" }>;

const mostShownChars = 3_000;
/** Of a longer text only both ends are looked at. */
const mostReadChars = 30_000;

/** A text as somebody sees it who has to agree to it. */
export interface Shown {
  readonly text: string;
  /** Characters in the middle that are not shown. What is shown says so. */
  readonly leftOut: number;
  /** It had characters that nobody can see, or that change the order of others. They are written out, as `\u{202e}`. */
  readonly hasHidden: boolean;
}

/**
 * What a call does, exactly and once: its targets, then `details` (a diff, a message) or the arguments that no target says, then the
 * commands. Those may have any lines, so nothing that they could imitate stands below them. At most about `most` characters.
 */
export function shownCall(
  call: { readonly name: string; readonly arguments: string },
  targets: readonly Target[],
  { details, most = mostShownChars }: { readonly details?: string; readonly most?: number } = {},
): Shown {
  const reachesHosts = targets.some((target) => target.kind === "url" && target.host !== undefined);
  const [commands, others] = [targets.filter(isCommand), targets.filter((target) => !isCommand(target))];
  const lines = [
    `Tool: ${call.name}`,
    ...others.map(shownTarget),
    details ?? otherArguments(call.arguments, targets),
    ...commands.map((command) => shownCommand(command, reachesHosts)),
  ];
  return shownText(lines.filter((line) => line !== "").join("\n"), most);
}

/** Any text without anything invisible, cut in its middle. */
export function shownText(text: string, most = mostShownChars): Shown {
  const read = cut(text, Math.max(mostReadChars, 3 * most));
  const visible = read.text.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  const even = visible
    .replace(/[ \t]{9,}/g, (run) => ` [${run.length} blanks] `)
    .replace(/\n{4,}/g, (run) => `\n[${run.length - 1} empty lines]\n`);
  const { text: short, leftOut } = cut(even, most, read.leftOut);
  return { text: short, leftOut, hasHidden: visible !== read.text };
}

/** As a block of Markdown that nothing in the text can end. */
export function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/**
 * Everything without a shape of its own, or that moves its neighbours: control and format characters, odd blanks, private and
 * unpaired ones, marks that pile up. Line ends and tabs stay, and what joins emoji.
 */
const hidden =
  /(?![\n\t ])(?!(?<=\p{Extended_Pictographic})\ufe0f)(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{3})\p{M}/gu;

/** `before` counts characters that were left out of `text` already. */
function cut(text: string, most: number, before = 0): { readonly text: string; readonly leftOut: number } {
  if (text.length <= most) return { text, leftOut: before };
  const head = text.slice(0, Math.ceil((most * 2) / 3)).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - Math.floor(most / 3)).replace(/^[\udc00-\udfff]/, "");
  const leftOut = before + text.length - head.length - tail.length;
  return { text: `${head}\n[${leftOut.toLocaleString("en")} characters are not shown]\n${tail}`, leftOut };
}

function isCommand(target: Target): target is Command {
  return target.kind === "command";
}

function shownTarget(target: Exclude<Target, Command>): string {
  if (target.kind === "path") return `File${target.isInWorkspace ? "" : " outside the workspace"}: ${target.path}`;
  if (target.kind === "recipient") return target.isOrigin ? "" : `To: ${target.recipient}`;
  if (target.kind === "secret") return `With the secret ${target.name}, at ${target.hosts.join(", ")}`;
  if (target.host !== undefined) return shownHost(target.host);
  return `${target.sendsBody ? "Sends to" : "Reads"}: ${shownAddress(target.url)}`;
}

/** `reachesHosts`: those that it names, or those of its secrets. */
function shownCommand({ command, isSandboxed, hasNetwork }: Command, reachesHosts: boolean): string {
  const where = isSandboxed ? "in the sandbox" : "outside the sandbox";
  const network = hasNetwork ? "with network" : reachesHosts ? "with these hosts" : "without network";
  return `Command, ${where}, ${network}:\n${typeof command === "string" ? command : JSON.stringify(command)}`;
}

function shownHost(host: string): string {
  return `Sends to and reads from: ${host}${portsOf(host)}`;
}

/** What a host without a port means to a command. */
export function portsOf(host: string): string {
  return host.includes(":") ? "" : " (https and http)";
}

/** As the network reads it: letters of other scripts as punycode, numbers as addresses. Differently written: both. */
function shownAddress(text: string): string {
  const address = addressOf(text)?.href ?? text;
  return address === text || address === `${text}/` ? address : `${address} (written ${text})`;
}
