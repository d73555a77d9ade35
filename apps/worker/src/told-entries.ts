import { type NoteEntry, type OverheardEntry, oneLine } from "@talaria/agent";
import { brandAs, type UserId } from "@talaria/protocol";
import type { Claim, EndedCall, Said, UndeliveredText } from "@talaria/store";

const mostQuoted = 60;
const mostOfCall = 300;

/** What became of the agent's own words and calls since the last turn, for the beginning of the next one. */
export function toldEntries({
  endedCalls = [],
  undelivered = [],
  said = [],
}: Pick<Claim, "said" | "undelivered" | "endedCalls">): readonly (NoteEntry | OverheardEntry)[] {
  return [...endedCalls.map(endedNote), ...undelivered.map(undeliveredNote), ...said.map(saidEntry)];
}

/** The transcript holds that it still runs, or that its end is told. */
function endedNote({ name, arguments: given }: EndedCall): NoteEntry {
  const call = `The call ${oneLine(`${name}(${given})`, mostOfCall).trim()}`;
  // Whoever stops a turn ends what it has let go, and no process that was begun on purpose.
  const text =
    name === "process"
      ? `${call} tells nothing any more: somebody has stopped what it was for. The tool process shows whether it still runs.`
      : `${call}, which went on beside your answers, was cancelled: somebody has stopped what it was for, and its result isn't told. It may have taken effect: verify before retrying.`;
  return { kind: "note", text };
}

/** The transcript holds the answer itself, as if people had read it. */
function undeliveredNote({ markdown, mayHaveArrived, stopped }: UndeliveredText): NoteEntry {
  const what = `Your words that begin with "${oneLine(markdown, mostQuoted).trim()}"`;
  if (stopped === "withheld")
    return { kind: "note", text: `${what} were not sent: somebody stopped them first. Nobody has read them.` };
  if (stopped === "cut")
    return { kind: "note", text: `${what} were cut short: somebody stopped them, and only their beginning is there.` };
  const outcome = mayHaveArrived
    ? "may have arrived here in part, whole or not at all: the platform did not say, and they were given up"
    : "did not arrive here: the platform did not take them, and they were given up";
  return { kind: "note", text: `${what} ${outcome}. Do not rely on anybody having read them.` };
}

/**
 * What the agent has said here for people of another conversation: it knows it when somebody comes back to it. It may hold words
 * of anybody, so it is context and no more.
 */
function saidEntry({ markdown, at }: Said): OverheardEntry {
  const sender = {
    userId: brandAs<UserId>("self"),
    role: "self",
    displayName: "you, from another conversation",
    assurance: "platform",
  } as const;
  return { kind: "overheard", sender, markdown, at };
}
