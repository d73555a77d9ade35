import {
  type BackgroundProcess,
  defineTool,
  type LaterNews,
  type ToolContext,
  type ToolResult,
  type Workspace,
} from "@talaria/agent";
import { GatewayError, instantOf } from "@talaria/protocol";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { commandTargets, foreignIf, networkInput, networkNotes } from "./command-network.ts";
import { endText, plainOutput, whereIsAll } from "./command-report.ts";

const shownChars = 12_000;
const longestWaitSeconds = 60;
const commandChars = 200;

/** How long the end of a process is told. */
const toldWithinMs = 24 * 60 * 60_000;
/** Processes whose end the model has read of. */
const seen = new WeakSet<BackgroundProcess>();

const actions = ["start", "list", "output", "write", "kill"] as const;

const input = z.strictObject({
  action: z.enum(actions),
  command: z.string().min(1).max(50_000).optional(),
  id: z.string().max(20).optional(),
  text: z.string().max(50_000).optional().describe("End lines with a newline"),
  waitSeconds: z.int().min(0).max(longestWaitSeconds).default(0).describe("For its end"),
  tell: z.boolean().default(false),
  network: networkInput.describe("As in terminal"),
});

type Input = z.output<typeof input>;

/** Starts and looks after processes that outlive a call. */
export const processTool = defineTool({
  name: "process",
  description:
    `Runs bash commands in the background, such as servers and long builds: start (command), list, output (id; the newest ${shownChars} ` +
    "characters), write (id, text to standard input), kill (id). They outlive your answer, unless the workspace moves to another machine. " +
    "With tell you are notified when one ends: don't poll.",
  effect: "write",
  isRare: true,
  permissions: ["exec"],
  timeoutMs: (longestWaitSeconds + 30) * 1_000,
  input,
  canBeLetGo: ({ waitSeconds }) => waitSeconds > 0,
  resources: ({ action, id }) => (action === "start" || id === undefined ? undefined : [`process:${id}`]),
  targets: (asked) => commandTargets(commandOf(asked), asked.action === "start" ? asked.network : []),
  async execute(asked, context) {
    const workspace = workspaceOf(context);
    if (asked.action === "start" && asked.tell) return await startAndTell(workspace, asked, context);
    const { content, process } = await actOn(workspace, asked, waitingEnd(context));
    return { content, ...foreignIf(process?.network?.()), ...startOf(asked) };
  },
});

/** What is written to a process may be commands for a shell in it. */
function commandOf({ action, command, id = "", text }: Input): string | readonly string[] {
  if (action === "start" && command !== undefined) return command;
  return action === "write" && text !== undefined ? text : ["process", action, id];
}

/** What is said, and of which process. */
interface Acted {
  readonly content: string;
  readonly process?: BackgroundProcess;
}

async function actOn(workspace: Workspace, asked: Input, signal: AbortSignal): Promise<Acted> {
  const { action, text, waitSeconds } = asked;
  switch (action) {
    case "start": {
      const started = await spawned(workspace, asked);
      await endOrTime(started, waitSeconds, signal);
      return reported(started);
    }
    case "list": {
      const lines = workspace.processes().map(lineOf);
      return { content: lines.length === 0 ? "There are no processes." : lines.join("\n") };
    }
    case "output": {
      const process = processNamed(workspace, asked);
      await endOrTime(process, waitSeconds, signal);
      return reported(process);
    }
    case "write": {
      if (text === undefined) throw lacks("write", "text");
      const process = processNamed(workspace, asked);
      if (process.end !== undefined) throw new GatewayError(`${process.id} has ended`, { code: "invalid_request" });
      await process.write(text);
      await endOrTime(process, waitSeconds, signal);
      return reported(process);
    }
    case "kill": {
      const process = processNamed(workspace, asked);
      await process.kill();
      return reported(process);
    }
    default:
      return action satisfies never;
  }
}

function reported(process: BackgroundProcess): Acted {
  return { content: reportOf(process), process };
}

/** What ends unseen is told: whoever has killed it, or read of its end, knows. */
async function startAndTell(workspace: Workspace, asked: Input, context: ToolContext): Promise<ToolResult> {
  const { tellLater, now } = context;
  if (tellLater === undefined)
    throw new GatewayError("nobody can be told here: leave out tell", { code: "unsupported" });
  const started = await spawned(workspace, asked);
  await endOrTime(started, asked.waitSeconds, waitingEnd(context));
  const content = reportOf(started);
  const foreign = foreignIf(started.network?.());
  if (started.end !== undefined) return { content, ...foreign };
  const { news, later } = toldEnd(started, now());
  tellLater(news);
  return { content: `${content}\n[You will be told when it ends.]`, later, ...foreign, ...startOf(asked) };
}

/** The end of a process as a call tells it later. `now`: milliseconds since 1970. */
export function toldEnd(
  process: BackgroundProcess,
  now: number,
): { readonly news: LaterNews; readonly later: NonNullable<ToolResult["later"]> } {
  const content = () => (seen.has(process) ? undefined : newsOf(process));
  return {
    news: { ended: process.ended, content },
    later: { waitsFor: "process", shown: lineOf(process), expiresAt: instantOf(now + toldWithinMs) },
  };
}

/** What ends the waiting for a process, and not the process. */
function waitingEnd({ signal, letGo }: ToolContext): AbortSignal {
  return letGo === undefined ? signal : AbortSignal.any([signal, letGo]);
}

/** News are told as ours, so what a stranger may have printed is left for a call to read. */
function newsOf(process: BackgroundProcess): string {
  if (process.network?.().hasReached !== true) return reportOf(process);
  return `${lineOf(process)}\n[Its output, which came over the network: process, action output]`;
}

async function spawned(workspace: Workspace, { command, network = [] }: Input): Promise<BackgroundProcess> {
  if (command === undefined) throw lacks("start", "command");
  return await workspace.spawn({ command, network });
}

function processNamed(workspace: Workspace, { action, id }: Input): BackgroundProcess {
  if (id === undefined) throw lacks(action, "id");
  const all = workspace.processes();
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  const there = all.length === 0 ? "there are none" : `there are: ${all.map((one) => one.id).join(", ")}`;
  throw new GatewayError(`no process has the id "${id}"; ${there}`, { code: "not_found" });
}

function lacks(action: string, field: string): GatewayError {
  return new GatewayError(`${action} needs ${field}`, { code: "invalid_request" });
}

async function endOrTime(process: BackgroundProcess, seconds: number, signal: AbortSignal): Promise<void> {
  if (seconds === 0 || process.end !== undefined) return;
  const time = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
  const isOver = new Promise<void>((done) => time.addEventListener("abort", () => done(), { once: true }));
  await Promise.race([process.ended, isOver]);
}

function lineOf({ id, command, end }: BackgroundProcess): string {
  const shown = command.length > commandChars ? `${command.slice(0, commandChars).toWellFormed()}…` : command;
  return `${id}  ${end === undefined ? "running" : endText(end)}  ${shown.replace(/\s+/g, " ")}`;
}

function reportOf(process: BackgroundProcess): string {
  if (process.end !== undefined) seen.add(process);
  const { text, leftOut, file } = process.output();
  const shown = plainOutput(text).slice(-shownChars).toWellFormed();
  const missing = leftOut + Math.max(0, text.length - shownChars);
  const head = missing > 0 ? [`[${missing} characters came before${whereIsAll(file)}]`] : [];
  const said = [...head, shown === "" ? "(no output)" : shown];
  return [lineOf(process), ...said, ...networkNotes(process.network?.())].join("\n");
}

function startOf({ action, command }: Input): Pick<ToolResult, "did"> {
  if (action !== "start" || command === undefined) return {};
  return { did: [{ kind: "ran", command, end: "started in the background" }] };
}
