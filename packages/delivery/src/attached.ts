import type { Capabilities } from "@talaria/adapter";
import type { Choice, OutboundAttachment } from "@talaria/protocol";
import type { OutboxRow } from "@talaria/store";
import { escaped, inlineCode } from "./as-it-is.ts";
import { type Said, saidIn } from "./row-words.ts";

/** What is sent with a text in this conversation. What the conversation does not accept has become text. */
export interface Attached {
  /** The text, with a line for each file that can't be sent, and the choices where there are no buttons. */
  readonly markdown: string;
  /** Files by message, in order. */
  readonly groups: readonly (readonly OutboundAttachment[])[];
  readonly choices: readonly Choice[];
}

export function attachedTo(row: OutboxRow, capabilities: Capabilities): Attached {
  const { markdown, attachments, choices = [] } = row;
  const said = saidIn(row);
  const { send, choices: buttons } = capabilities;
  const problems = attachments.map((file) => problemOf(file, send, said));
  const files = attachments.filter((_, index) => problems[index] === undefined);
  const hasButtons = buttons !== undefined && choices.length > 0 && fits(choices, buttons);
  const lines = [
    ...attachments.flatMap((file, index) => {
      const problem = problems[index];
      return problem === undefined ? [] : [notSent(file, problem, said)];
    }),
    ...(hasButtons || isInRows(choices) ? [] : [numbered(choices)]),
  ];
  return {
    markdown: [markdown, ...lines].filter((text) => text.trim() !== "").join("\n\n"),
    groups: send === undefined ? [] : groupsOf(files, send),
    choices: hasButtons ? shortened(choices, buttons.maxLabelLength) : [],
  };
}

/** The text says how to answer without buttons. Also true without choices. */
function isInRows(choices: readonly Choice[]): boolean {
  return choices.every(({ row }) => row !== undefined);
}

function fits(choices: readonly Choice[], { max, maxRows = max }: NonNullable<Capabilities["choices"]>): boolean {
  return choices.length <= max && new Set(choices.flatMap(({ row }) => row ?? [])).size <= maxRows;
}

/** The line that stands for a file which could not be sent. `problem` is half a sentence. */
export function notSent({ name, byteLength }: OutboundAttachment, problem: string, said: Said): string {
  const size = byteLength === undefined ? "" : ` (${sizeText(byteLength)})`;
  return said.notSent(inlineCode(name), size, problem);
}

function problemOf({ byteLength = 0 }: OutboundAttachment, send: Capabilities["send"], said: Said): string | undefined {
  if (send === undefined) return said.takesNoFiles;
  if (byteLength > send.maxBytes) return said.takesFilesUpTo(sizeText(send.maxBytes));
  return undefined;
}

function groupsOf(files: readonly OutboundAttachment[], send: Sending): readonly (readonly OutboundAttachment[])[] {
  const groups: OutboundAttachment[][] = [];
  for (const file of files) {
    const group = groups.at(-1);
    if (group !== undefined && hasRoomFor(file, group, send)) group.push(file);
    else groups.push([file]);
  }
  return groups;
}

type Sending = NonNullable<Capabilities["send"]>;

function hasRoomFor(file: OutboundAttachment, group: readonly OutboundAttachment[], send: Sending): boolean {
  const [first] = group;
  if (first === undefined || group.length >= send.maxPerMessage) return false;
  if (send.albums && albumOf(file) !== albumOf(first)) return false;
  if (!send.albums && !send.sharesBytes) return true;
  // A file of unknown size may be as large as any.
  const bytes = [...group, file].reduce((sum, { byteLength = send.maxBytes }) => sum + byteLength, 0);
  return bytes <= send.maxBytes;
}

/** Pictures and films go together; sounds and other files each with their own kind. */
function albumOf({ mimeType }: OutboundAttachment): "seen" | "heard" | "read" {
  if (/^(?:image|video)\//.test(mimeType)) return "seen";
  return mimeType.startsWith("audio/") ? "heard" : "read";
}

/** People answer with a number or in words; the model that asked reads either. */
function numbered(choices: readonly Choice[]): string {
  return choices.map(({ label }, index) => `${index + 1}. ${escaped(label)}`).join("\n");
}

/** Labels shortened between characters, and still different from each other. */
function shortened(choices: readonly Choice[], maxLength: number): readonly Choice[] {
  const shown = new Set<string>();
  return choices.map(({ label, ...choice }, index) => {
    const fit = fitted(label, maxLength);
    const isTaken = shown.has(fit);
    const text = isTaken ? fitted(`${index + 1}. ${label}`, maxLength) : fit;
    shown.add(text);
    return { ...choice, label: text };
  });
}

function fitted(label: string, maxLength: number): string {
  if (label.length <= maxLength) return label;
  const cut = label.slice(0, Math.max(0, maxLength - 1));
  return `${cut.replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} kB`;
  return `${Math.round((bytes / 1_048_576) * 10) / 10} MB`;
}
