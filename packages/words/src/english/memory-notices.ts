import type { Memory, MemoryTurn, StoredContext } from "@talaria/store";
import { compressibleTokens } from "../compressible-tokens.ts";
import { longestTitle, quoted } from "../shown-words.ts";

const filesStay = "Files stay as they are, and what was done elsewhere is not undone.";

/** What people read of the memories of a session. Titles and words of people are data: each is shown as one quoted line. */
export const memoryNotices = {
  needsMember: (command: string) => `Only people who were let in can use \`/${command}\` here.`,
  /** Also what is said when somebody was quicker, so that it names no single cause. */
  busy: (command: string) =>
    `Nothing was done, since I'm at work here or something has just changed. Write \`/stop\` if you don't want to wait for my answer, and then \`/${command}\` again.`,
  empty: "I remember nothing here yet.",

  undoUsage: (most: number) =>
    `\`/undo\` takes back the last question with its answer, \`/undo 3\` the last three, up to ${most}. Nothing was done.`,
  undone: (turns: readonly MemoryTurn[]) =>
    `Taken back; I no longer know of it:\n\n${turns.map((turn) => `- ${wordsOf(turn)}`).join("\n")}\n\n${filesStay}`,
  ownersTurn: (turn: MemoryTurn) =>
    `Only an owner can take this back, since an owner asked it: ${wordsOf(turn)}. Nothing was done.`,
  unknownAskers: "Only an owner can take this back: it is so old that I no longer know who asked. Nothing was done.",

  branched: (last: MemoryTurn | undefined, former: Memory) =>
    `This is a branch now: I remember everything up to ${last === undefined ? "here" : wordsOf(last)}. ${filesStay} \`/resume ${former.number}\` goes back to the conversation before.`,
  noBranchPoint:
    "I can't begin a branch there: I find no such message in what I remember here. Reply to a message with `/branch`, or write `/branch 2` to leave out the last two questions, or `/branch` with words of one.",

  memories: (listed: readonly Memory[], more: boolean) =>
    `What I remember here:\n\n${listed.map(lineOf).join("\n")}\n\n${more ? "There are older ones. " : ""}\`/resume\` with a number or words of a title goes on with one.`,
  severalMemories: (found: readonly Memory[]) =>
    `Which one?\n\n${found.map(lineOf).join("\n")}\n\nWrite \`/resume\` with its number.`,
  noMemory: "I have nothing like that here. `/resume` lists what there is.",
  isCurrent: (memory: Memory) => `That's the one we're in: ${nameOf(memory)}.`,
  resumed: (memory: Memory, former: Memory | undefined) =>
    `Going on with ${nameOf(memory)}.${former === undefined ? "" : ` \`/resume ${former.number}\` goes back.`}`,

  title: (memory: Memory) =>
    memory.title === undefined
      ? `This has no title yet. \`/title\` with words gives it one.`
      : `The title is ${quoted(memory.title)}.`,
  titled: (title: string) => `The title is now ${quoted(title)}.`,
  titleTooLong: (length: number) =>
    `A title has at most ${longestTitle} characters, yours has ${length}. Please shorten it.`,
  titleEmpty: "A title needs at least one letter or digit.",

  context: ({ tokens, windowTokens, parts, compressions, at }: StoredContext) => {
    const percent = windowTokens > 0 ? `${Math.round((100 * tokens) / windowTokens)} % full: ` : "";
    const lines = contextParts.flatMap(([part, name]) =>
      parts[part] > 0 ? [`- ${name}: ${parts[part].toLocaleString("en")}`] : [],
    );
    const compressed =
      compressions === 0 ? [] : [compressions === 1 ? "Compressed once." : `Compressed ${compressions} times.`];
    return [
      `My window is ${percent}${tokens.toLocaleString("en")} of ${windowTokens.toLocaleString("en")} tokens, after the answer of ${timeOf(at)}.`,
      ...(lines.length === 0 ? [] : [lines.join("\n")]),
      ...compressed,
    ].join("\n\n");
  },
  contextUnknown: "I don't know yet how full my window is: I count at the end of an answer.",

  compacting:
    "I'll compress what I remember when you write next. What you wrote last, the plan, files, commands with their results and open questions stay; the rest becomes a summary.",
  tooLittle: (context: StoredContext) =>
    `There is too little to compress: what was said and done ${context.parts.checkpoint > 0 ? "since the last time" : "here"} takes ${compressibleTokens(context).toLocaleString("en")} of ${context.windowTokens.toLocaleString("en")} tokens.`,
  compactingAlready: "I'll do it when you write next.",
} as const;

const contextParts = [
  ["prompt", "who I am and the rules"],
  ["tools", "tools"],
  ["words", "what people wrote"],
  ["answers", "what I answered"],
  ["results", "what tools brought"],
  ["checkpoint", "the summary of what was before"],
] as const;

function wordsOf({ asked }: MemoryTurn): string {
  const words = asked.map(({ words: one }) => one).join(" ");
  return words.trim() === "" ? "a message without words" : quoted(words);
}

function nameOf({ number, title, beginning }: Memory): string {
  const words = title ?? beginning ?? "";
  return words === "" ? `number ${number}` : `${quoted(words)} (${number})`;
}

function lineOf({ number, title, beginning, turns, lastUsedAt, isCurrent }: Memory): string {
  const words = title ?? beginning ?? "";
  const facts = [
    ...(turns === undefined ? [] : [`${turns.toLocaleString("en")} turn${turns === 1 ? "" : "s"}`]),
    ...(lastUsedAt === undefined ? [] : [`last used ${timeOf(lastUsedAt)}`]),
    ...(isCurrent ? ["this one"] : []),
  ];
  return `- \`${number}\` ${words === "" ? "(without words)" : quoted(words)}: ${facts.join(", ")}`;
}

function timeOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
