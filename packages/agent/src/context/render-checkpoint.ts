import { eachOnce } from "../kept-media.ts";
import { idOfFile } from "../media.ts";
import { namedFiles, overheardMessage, type RenderPlace, sharedMessage } from "../render-words.ts";
import { shownTime } from "../sent-times.ts";
import { attributes, escapedText, oneLine, plainText } from "../untrusted-text.ts";
import type { CheckpointEntry, KnownMedia, SaidEntry } from "./context-entries.ts";

const opening =
  "Earlier parts of this conversation were left out to make room. This is what is known of them, made from the journal. Go on from " +
  "here: do not begin again, and do not repeat what is done.";
const inTurn = "You are in the middle of answering the last message below: take the next step.";

/** A checkpoint as the model reads it. All that people, the model or tools wrote is escaped. */
export function renderCheckpoint(entry: CheckpointEntry, place: RenderPlace): string {
  const { at, said, plan, files, commands, open, remarks = [], calls, notes, leftOut } = entry;
  const sections = [
    entry.inTurn ? `${opening} ${inTurn}` : opening,
    wholeOf(entry),
    section(
      "What was said, oldest first",
      said.map((one) => saidText(one, place)),
      leftOut.said,
      namedFiles(eachOnce(entry.wordsIn ?? entry.whole).toReversed()),
    ),
    section("The plan", plan === undefined ? [] : [withoutHeadings(plainText(plan))], 0),
    section("Files of the workspace", files.map(fileLine), leftOut.files),
    section(
      "Commands that ran",
      commands.map(({ command, end }) => plainText(`$ ${command} -> ${end}`)),
      leftOut.commands,
    ),
    section(
      "What you noted between your calls, oldest first",
      remarks.map((line) => `- ${plainText(line)}`),
      leftOut.remarks ?? 0,
    ),
    section("Calls, oldest first", calls.map(plainText), leftOut.calls),
    section(
      "Calls whose answer comes later",
      open.map(({ shown }) => plainText(shown)),
      leftOut.open ?? 0,
    ),
    section(
      "Decisions and reasons, as a machine noted them; it may be wrong",
      notes === undefined ? [] : [withoutHeadings(escapedText(notes))],
      0,
    ),
  ];
  return `<checkpoint${attributes({ at: shownTime(at) })}>\n${sections.filter((text) => text !== "").join("\n\n")}\n</checkpoint>`;
}

function wholeOf({ whole, known }: CheckpointEntry): string {
  const ids = namedFiles(eachOnce(whole).toReversed());
  const files = known.flatMap((file) => {
    const id = idOfFile(file);
    const name = shownName(file);
    if (id === undefined || name === undefined) return [];
    const size = file.unopened === undefined ? `${file.byteLength} bytes` : "not opened";
    return [plainText(`${id}: ${name}, ${oneLine(file.mimeType)}, ${size}`)];
  });
  const all = ids === "" ? [] : [`What was left out stands in these files, newest first, for read_attachment: ${ids}.`];
  return [...all, section("Files of the conversation, by their ids", files, 0)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** How a checkpoint names a file that the model may open. Undefined for what a tool has kept: its result says what it is. */
export function shownName({ name, kind }: KnownMedia): string | undefined {
  return name === undefined ? (kind === "file" ? undefined : kind) : oneLine(name);
}

function section(title: string, lines: readonly string[], leftOut: number, standsIn = ""): string {
  if (lines.length === 0 && leftOut === 0) return "";
  const where = standsIn === "" ? "" : `; what people wrote there stands in ${standsIn}`;
  const more = leftOut === 0 ? [] : [`(${leftOut} ${standsIn === "" ? "older " : ""}left out${where})`];
  return [`# ${title}`, ...more, ...lines].join("\n");
}

export function saidText(entry: SaidEntry, place: RenderPlace): string {
  switch (entry.kind) {
    case "user":
      return sharedMessage(entry, place);
    case "overheard":
      return overheardMessage(entry, place);
    case "replied":
      return `You answered: ${withoutHeadings(escapedText(entry.text))}`;
    default:
      return entry satisfies never;
  }
}

/** Text of several lines in which none looks like a heading of ours. */
function withoutHeadings(text: string): string {
  return text.replace(/^#/gm, " #");
}

function fileLine({ kind, path, digest }: CheckpointEntry["files"][number]): string {
  return plainText(`${kind} ${path}${digest === undefined ? "" : ` (sha256 ${oneLine(digest)})`}`);
}
