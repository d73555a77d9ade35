import { defineTool, type ShellResult } from "@talaria/agent";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { commandTargets, foreignIf, networkInput, networkNotes } from "./command-network.ts";
import { endText, plainOutput, whereIsAll } from "./command-report.ts";
import { leavesNothing } from "./leaves-nothing.ts";
import { letGoOf } from "./let-go.ts";

const defaultMs = 60_000;
const longestMs = 600_000;
const outputChars = 16_000;

/** Runs a command in the session's own shell. */
export const terminal = defineTool({
  name: "terminal",
  description:
    "Runs a bash command in the workspace. The shell keeps its folder and variables; calls of one answer may run at the same time, so " +
    "join with && what needs the other. Nobody answers prompts: pass options such as -y. After timeoutSeconds it goes on in the " +
    "background for up to an hour: see process. Of long output you read both ends, and the name of a file that has all.",
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
    network: networkInput,
  }),
  canBeLetGo: () => true,
  leavesNothing: ({ command }) => leavesNothing(command),
  targets: ({ command, network }) => commandTargets(command, network),
  async execute({ command, timeoutSeconds, network = [] }, context) {
    const result = await workspaceOf(context).run(command, {
      timeoutMs: timeoutSeconds * 1_000,
      signal: context.signal,
      maxOutputChars: outputChars,
      goesOn: true,
      ...(context.letGo && { letGo: context.letGo }),
      whole: true,
      network,
    });
    const letGo = letGoOf(result, context);
    return {
      content: [report(result, letGo?.note), ...networkNotes(result.network, network)].join("\n"),
      ...foreignIf(result.network),
      ...(letGo && { later: letGo.later }),
      did: [
        {
          kind: "ran",
          command,
          end: result.goesOnAs === undefined ? endText(result.end) : `goes on as ${result.goesOnAs}`,
        },
      ],
      details: { end: result.end, durationMs: result.durationMs, leftOut: result.leftOut },
    };
  },
});

function report(result: ShellResult, letGo?: string): string {
  const { output, leftOut, end, durationMs, isNewShell, outputFile, goesOnAs } = result;
  const seconds = (durationMs / 1_000).toFixed(1);
  const left = `${leftOut} characters from the middle of the output are left out${whereIsAll(outputFile)}`;
  const notes = [
    letGo ?? (goesOnAs === undefined ? `[${endText(end)}, after ${seconds} s]` : goingOn(goesOnAs, seconds)),
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
