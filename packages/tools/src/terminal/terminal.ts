import { type CommandResult, defineTool } from "@talaria/agent";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { endText, plainOutput, whereIsAll } from "./command-report.ts";
import { commandTarget } from "./command-target.ts";
import { leavesNothing } from "./leaves-nothing.ts";

const defaultMs = 60_000;
const longestMs = 600_000;
const outputChars = 16_000;

/** Runs a command in the session's own shell. */
export const terminal = defineTool({
  name: "terminal",
  description:
    "Runs a bash command in the workspace and waits for its end. The shell stays: the folder and variables that one command " +
    "sets are there for the next. Several in one answer may run at the same time: join with && what needs the other. Nobody can " +
    "answer a question that a command asks: give options instead. What runs longer than its time limit " +
    `(${defaultMs / 1_000} s unless you set it, at most ${longestMs / 1_000} s) goes on in the background for up to an hour: see the tool process. ` +
    `You read at most ${outputChars} characters of output, its beginning and its end; of more you are told a file that has all.`,
  effect: "write",
  permissions: ["exec"],
  timeoutMs: longestMs + 15_000,
  input: z.strictObject({
    command: z.string().min(1).max(50_000).describe("Text for bash; may have several lines."),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(longestMs / 1_000)
      .default(defaultMs / 1_000)
      .describe(`Default: ${defaultMs / 1_000}.`),
  }),
  leavesNothing: ({ command }) => leavesNothing(command),
  targets: ({ command }) => [commandTarget(command)],
  async execute({ command, timeoutSeconds }, context) {
    const result = await workspaceOf(context).run(command, {
      timeoutMs: timeoutSeconds * 1_000,
      signal: context.signal,
      maxOutputChars: outputChars,
      goesOn: true,
      whole: true,
    });
    return {
      content: report(result),
      details: { end: result.end, durationMs: result.durationMs, leftOut: result.leftOut },
    };
  },
});

function report(result: CommandResult & { readonly isNewShell: boolean }): string {
  const { output, leftOut, end, durationMs, isNewShell, outputFile, goesOnAs } = result;
  const seconds = (durationMs / 1_000).toFixed(1);
  const left = `${leftOut} characters from the middle of the output are left out${whereIsAll(outputFile)}`;
  const notes = [
    goesOnAs === undefined ? `[${endText(end)}, after ${seconds} s]` : goingOn(goesOnAs, seconds),
    ...(isNewShell ? ["[a new shell: it began in the workspace's folder, without variables of earlier commands]"] : []),
    ...(leftOut > 0 ? [`[${left}]`] : []),
  ];
  const shown = plainOutput(output);
  return [...(shown === "" ? ["(no output)"] : [shown]), ...notes].join("\n");
}

function goingOn(id: string, seconds: string): string {
  return (
    `[still running after ${seconds} s: it goes on in the background as ${id}. The tool process shows its output, waits for it or ` +
    "kills it. The next command gets a new shell, with the folder and variables from before this one]"
  );
}
