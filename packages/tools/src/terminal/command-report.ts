import { stripVTControlCharacters } from "node:util";
import type { CommandResult, OutputFile } from "@talaria/agent";

/** How a command ended, in words for the model: `exit code 0`, `killed by SIGSEGV`. */
export function endText(end: CommandResult["end"]): string {
  switch (end.kind) {
    case "exit":
      return `exit code ${end.code}`;
    case "signal":
      return `ended by signal ${end.signal}`;
    case "timeout":
      return "killed with all it had started: its time was up";
    case "aborted":
      return "killed with all it had started: the call was stopped";
    case "let_go":
      return "goes on in the background";
    default:
      return end satisfies never;
  }
}

/** Where what is left out can be read: `; all of it is in .output/3.log`. Empty: nowhere. */
export function whereIsAll(file: OutputFile | undefined): string {
  if (file === undefined) return "";
  return file.isWhole ? `; all of it is in ${file.path}` : `; its first megabytes are in ${file.path}`;
}

/** Output without colours and cursor movements, and only the last state of overwritten lines. */
export function plainOutput(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n")
    .trimEnd();
}
