import type { CallPart, CallWords, HeadlinePiece, NamedValue, Target, ToolWords } from "@talaria/protocol";
import type { CallPhrases, ShownMarks } from "./call-phrases.ts";
import { otherArguments } from "./shown-arguments.ts";
import { type Shown, shownText } from "./shown-text.ts";
import { addressOf } from "./url-pattern.ts";

type Command = Extract<Target, { readonly kind: "command" }>;

/** Of one part, as it is kept with its question. */
const mostOfPart = 20_000;
/** Of a value of ours in a line. */
const mostOfFact = 1_000;
const mostOfName = 120;

/** A call in words, and whether anything of it can't be read there. */
export interface DescribedCall extends Pick<Shown, "leftOut" | "hasHidden"> {
  readonly words: CallWords;
}

/**
 * What a call does, each thing once: the words of its tool, or its name; what policy knows of its targets; the arguments that neither of
 * them says; and its commands. The tool's words are believed only where they name the arguments that they say.
 */
export function describedCall(
  call: { readonly name: string; readonly arguments: string },
  targets: readonly Target[],
  phrases: CallPhrases,
  { headline, parts = [], says }: ToolWords = { headline: phrases.useTool(call), says: [] },
): DescribedCall {
  const reader = new Reader(phrases.marks);
  const named = headline.map((piece) => (typeof piece === "string" ? piece : nameIn(piece)));
  const names = named.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name]));
  const reachesHosts = targets.some((target) => target.kind === "url" && target.host !== undefined);
  const [commands, others] = [targets.filter(isCommand), targets.filter((target) => !isCommand(target))];
  const facts = [
    ...headline.flatMap((piece) => inFull(piece, phrases)),
    ...others.flatMap((target) => factOf(target, names, phrases)),
    ...commands.flatMap((command) =>
      isOwn(command, call)
        ? [{ name: phrases.runs, value: phrases.runsIn(command.isSandboxed, networkOf(command, reachesHosts)) }]
        : [],
    ),
  ];
  const shown = targets.filter((target) => !isCommand(target) || !isOwn(target, call));
  const given = otherArguments(call.arguments, shown, says);
  const all: readonly CallPart[] = [
    { kind: "facts", items: facts },
    ...parts,
    ...(typeof given === "string" ? [{ kind: "block", label: phrases.arguments, text: given } as const] : []),
    ...(typeof given === "string" ? [] : [{ kind: "arguments", items: given } as const]),
    ...commands.flatMap((command) => (isOwn(command, call) ? [] : [commandPart(command, reachesHosts, phrases)])),
  ];
  const words = {
    headline: named.map((piece) => reader.piece(piece)),
    parts: all.flatMap((part) => reader.part(part)),
  };
  return { words, leftOut: reader.leftOut, hasHidden: reader.hasHidden };
}

/** Makes all that it reads visible, and keeps what that has shown. */
class Reader {
  leftOut = 0;
  hasHidden = false;
  readonly #marks: ShownMarks;

  constructor(marks: ShownMarks) {
    this.#marks = marks;
  }

  piece(piece: HeadlinePiece): HeadlinePiece {
    return typeof piece === "string" ? piece : { name: shortened(this.#line(piece.name, Number.POSITIVE_INFINITY)) };
  }

  /** None where it says nothing. */
  part(part: CallPart): readonly CallPart[] {
    switch (part.kind) {
      case "facts":
        return part.items.length === 0 ? [] : [{ ...part, items: part.items.map((item) => this.#fact(item)) }];
      case "arguments":
        return part.items.length === 0 ? [] : [{ ...part, items: part.items.map((item) => this.#item(item)) }];
      case "text":
      case "block":
      case "difference":
        return part.text === "" ? [] : [{ ...part, text: this.#text(part.text) }];
      default:
        return part satisfies never;
    }
  }

  #fact({ name, value }: NamedValue): NamedValue {
    return { name, value: this.#line(value, mostOfFact) };
  }

  #item({ name, value }: NamedValue): NamedValue {
    return { name: this.#text(name), value: this.#text(value) };
  }

  #line(text: string, most: number): string {
    return this.#text(text.replace(/\n/g, "\\n"), most).replace(/\s+/g, " ");
  }

  #text(given: string, most = mostOfPart): string {
    const { text, leftOut, hasHidden } = shownText(given, this.#marks, Math.min(most, mostOfPart));
    this.leftOut += leftOut;
    this.hasHidden ||= hasHidden;
    return text;
  }
}

function nameIn(piece: Exclude<ToolWords["headline"][number], string>): { readonly name: string } {
  return "name" in piece ? piece : { name: networkAddress(piece.address) };
}

/** What the headline has no place for. */
function inFull(piece: ToolWords["headline"][number], phrases: CallPhrases): readonly NamedValue[] {
  if (typeof piece === "string") return [];
  const { name } = nameIn(piece);
  return [
    ...(name.length > mostOfName ? [{ name: phrases.inFull, value: name }] : []),
    ...("address" in piece && isWrittenOtherwise(piece.address)
      ? [{ name: phrases.written, value: piece.address }]
      : []),
  ];
}

function shortened(name: string): string {
  return name.length <= mostOfName ? name : `${name.slice(0, mostOfName - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function isCommand(target: Target): target is Command {
  return target.kind === "command";
}

/** A tool that runs a program of its own, or looks after one, names no command: its name stands for it. */
function isOwn({ command }: Command, { name }: { readonly name: string }): boolean {
  return command === name || (typeof command !== "string" && command[0] === name);
}

function factOf(
  target: Exclude<Target, Command>,
  said: readonly string[],
  phrases: CallPhrases,
): readonly NamedValue[] {
  switch (target.kind) {
    case "path":
      if (!target.isInWorkspace) return [{ name: phrases.outsideWorkspace, value: target.path }];
      return said.includes(target.path) ? [] : [{ name: phrases.file, value: target.path }];
    case "recipient":
      return target.isOrigin || said.includes(target.recipient) ? [] : [{ name: phrases.to, value: target.recipient }];
    case "secret":
      return [{ name: phrases.withSecret, value: phrases.secretAt(target.name, target.hosts.join(", ")) }];
    case "url":
      if (target.host !== undefined) return [{ name: phrases.sendsAndReads, value: hostText(target.host, phrases) }];
      if (target.sendsBody) return [{ name: phrases.sendsTo, value: shownAddress(target.url, phrases) }];
      return said.includes(networkAddress(target.url))
        ? []
        : [{ name: phrases.reads, value: shownAddress(target.url, phrases) }];
    default:
      return target satisfies never;
  }
}

function commandPart({ command, ...where }: Command, reachesHosts: boolean, phrases: CallPhrases): CallPart {
  const text = typeof command === "string" ? command : JSON.stringify(command);
  return { kind: "block", label: phrases.place(where.isSandboxed, networkOf(where, reachesHosts)), text };
}

/** `reachesHosts`: those that it names, or those of its secrets. */
function networkOf({ hasNetwork }: Pick<Command, "hasNetwork">, reachesHosts: boolean): "any" | "hosts" | "none" {
  if (hasNetwork) return "any";
  return reachesHosts ? "hosts" : "none";
}

/** What a host without a port means to a command is said with it. */
export function hostText(host: string, { anyPort }: Pick<CallPhrases, "anyPort">, shown = host): string {
  return host.includes(":") ? shown : anyPort(shown);
}

/** As the network reads it: letters of other scripts as punycode, numbers as addresses. */
function networkAddress(text: string): string {
  return addressOf(text)?.href ?? text;
}

function isWrittenOtherwise(text: string): boolean {
  const address = networkAddress(text);
  return address !== text && address !== `${text}/`;
}

/** Differently written: both. */
function shownAddress(text: string, phrases: CallPhrases): string {
  return isWrittenOtherwise(text) ? phrases.writtenAs(networkAddress(text), text) : networkAddress(text);
}
