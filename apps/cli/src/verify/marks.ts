import { markingCommand, showingCommand } from "@talaria/models";
import type { Line } from "./web-chat.ts";

/** What became of the commands of one or more conversations, each of which leaves a mark in a file when it begins and ends. */
export interface Marks {
  /** Commands that began. */
  readonly ran: number;
  /** How often one began again. */
  readonly twice: number;
  /** Answers that say that nobody knows whether the command has ended. */
  readonly unknown: number;
  /** Those of them whose command has ended, by its mark. */
  readonly needless: number;
  /** Answers that show neither the end of the command nor that it is unknown. */
  readonly failed: number;
}

export function questionOf(number: number): string {
  return `Self-test, message ${number}. Run this command in the terminal, once, and answer with all that it printed: \`${markingCommand(number)}\``;
}

export const lastQuestion = `Self-test, the last message. Run this command in the terminal, and answer with all that it printed: \`${showingCommand}\``;

/** The marks that an answer to the last question shows; undefined when it shows none. */
export function marksIn(answer: string): readonly string[] | undefined {
  const marks = [...answer.matchAll(/^(?:\(offline demo\) |\W*)(m\d+ (?:began|ended))$/gm)];
  return marks.length === 0 ? undefined : marks.map(([, mark = ""]) => mark);
}

/** `sent`: the ids of the messages with commands, in the order of their numbers. */
export function tallyMarks(sent: readonly string[], history: readonly Line[], marks: readonly string[]): Marks {
  const turnOf = new Map(history.flatMap(({ id, from, turnId }) => (from === "person" ? [[id, turnId]] : [])));
  const textOf = new Map(history.flatMap((line) => (line.from === "agent" ? [[line.turnId, line.markdown]] : [])));
  const began = marks.filter((mark) => mark.endsWith(" began"));
  const ended = new Set(marks.filter((mark) => mark.endsWith(" ended")));
  const answers = sent.map((id, index) => ({ end: `m${index + 1} ended`, text: textOf.get(turnOf.get(id)) ?? "" }));
  const unknown = answers.filter(({ text }) => /\bUNKNOWN\b/.test(text));
  return {
    ran: new Set(began).size,
    twice: began.length - new Set(began).size,
    unknown: unknown.length,
    needless: unknown.filter(({ end }) => ended.has(end)).length,
    failed: answers.filter(({ end, text }) => text !== "" && !/\bUNKNOWN\b/.test(text) && !saysSo(text, end)).length,
  };
}

export function totalMarks(all: readonly Marks[]): Marks {
  const sum = (key: keyof Marks) => all.reduce((total, marks) => total + marks[key], 0);
  return {
    ran: sum("ran"),
    twice: sum("twice"),
    unknown: sum("unknown"),
    needless: sum("needless"),
    failed: sum("failed"),
  };
}

function saysSo(text: string, end: string): boolean {
  return marksIn(text)?.includes(end) ?? false;
}
