import { defineTool, type ShellResult } from "@talaria/agent";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { endText, plainOutput } from "./command-report.ts";
import { commandTarget } from "./command-target.ts";

const defaultMs = 60_000;
const longestMs = 600_000;
const outputChars = 16_000;

/** Runs a command in the session's own shell. */
export const terminal = defineTool({
  name: "terminal",
  description:
    "Runs a bash command in the workspace and returns its output and exit code. The shell keeps its folder and variables between " +
    "calls. Nobody can answer prompts, so pass options such as -y. When timeoutSeconds is up, the command is killed together with " +
    `the shell; use process for servers and long jobs. If the output exceeds ${outputChars} characters, its middle is lost: redirect ` +
    "long output to a file and search that. Your instructions say what network there is.",
  effect: "write",
  permissions: ["exec"],
  timeoutMs: longestMs + 15_000,
  input: z.strictObject({
    command: z.string().min(1).max(50_000),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(longestMs / 1_000)
      .default(defaultMs / 1_000),
  }),
  targets: ({ command }) => [commandTarget(command)],
  async execute({ command, timeoutSeconds }, context) {
    const result = await workspaceOf(context).run(command, {
      timeoutMs: timeoutSeconds * 1_000,
      signal: context.signal,
      maxOutputChars: outputChars,
    });
    return {
      content: report(result),
      details: { end: result.end, durationMs: result.durationMs, leftOut: result.leftOut },
    };
  },
});

function report({ output, leftOut, end, durationMs, isNewShell }: ShellResult): string {
  const notes = [
    `[${endText(end)}, after ${(durationMs / 1_000).toFixed(1)} s]`,
    ...(isNewShell ? ["[a new shell: it began in the workspace's folder, without variables of earlier commands]"] : []),
    ...(leftOut > 0 ? [`[${leftOut} characters from the middle of the output are left out]`] : []),
  ];
  const shown = plainOutput(output);
  return [...(shown === "" ? ["(no output)"] : [shown]), ...notes].join("\n");
}
