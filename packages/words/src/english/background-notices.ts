import type { BackgroundRow } from "@talaria/store";
import { shownCommand } from "../listed-calls.ts";
import { codeOf, inLines, listed, oneLine } from "../marks.ts";
import { callPhrases } from "./call-phrases.ts";
import { inOne, inWords, placeName } from "./spans.ts";

/** What people read about what runs in the background, and what a stop has dropped. Markdown. */
export const backgroundNotices = {
  stoppedAll: "Stopped. I'm ending what runs in the background here, too.",
  stoppedOwn: "I no longer wait for an answer to what you alone had asked for.",
  /** Messages that waited, of whom, and of how many more people. */
  dropped: (messages: number, names: readonly string[], more: number) => {
    const what = messages === 1 ? "1 waiting message" : `${messages.toLocaleString("en")} waiting messages`;
    const people = [...names.map(codeOf), ...(more === 0 ? [] : [more === 1 ? "1 other" : `${more} others`])];
    return `${what} of ${inOne(people)} ${messages === 1 ? "was" : "were"} dropped.`;
  },
  noProcesses: "Nothing runs in the background here.",
  noProcessesButTurn: "Nothing runs in the background here. I'm working on an answer, though: `/stop` ends that.",
  /** In a thread. `doing`: its work line. */
  worksOnHead: (doing: string | undefined) =>
    `I'm working on the message above this thread${doing === undefined ? "" : `: ${codeOf(oneLine(doing))}`}. \`/stop\` here ends that.`,
  processes: (running: readonly Running[], more: number) =>
    `Running in the background:\n\n${inLines(running.map((one) => runningLine(one)))}${andMore(more)}`,
  processesElsewhere: (running: readonly Running[], more: number) =>
    `Running in other conversations:\n\n${inLines(running.map((one) => runningLine(one, `, in ${placeName(one.route)}`)))}${andMore(more)}`,
  count: (processes: number) =>
    processes === 1
      ? "1 process runs in the background: `/processes` lists it."
      : `${processes} processes run in the background: \`/processes\` lists them.`,
  /** After where the answer to a message stands. */
  begunStillRuns: (running: readonly Running[], more: number) =>
    `What I started for it still runs in the background:\n\n${inLines(running.map((one) => runningLine(one)))}${andMore(more)}`,
  howToEnd:
    "`/processes stop` and a number ends one. `/stop all` ends all of a conversation, with what I'm doing there.",
  processesUsage:
    "`/processes` lists what runs in the background, and `/processes stop` with a number of that list ends one. Nothing was ended.",
  noProcess: (number: string) =>
    `There's no process ${codeOf(number.slice(0, 20))} here. \`/processes\` lists those that run.`,
  mayNotEnd: "Only whoever asked for it, or a member, can end that process.",
  processEnded: (id: string, command: string) => {
    const shown = shownCommand(command, callPhrases.marks);
    return `I'm ending process ${codeOf(id)}:${shown.isBlock ? `\n\n${shown.text}` : ` ${shown.text}.`}`;
  },
  /** With what somebody stops. */
  ending: (running: readonly Running[], more: number) =>
    `I'm ending what still ran beside my answers. It may have taken effect:\n\n${inLines(running.map((one) => runningLine(one)))}${andMore(more)}`,
  stillRunning: (command: "stop" | "new", running: readonly Running[], more: number) =>
    `Still running in the background:\n\n${inLines(running.map((one) => runningLine(one)))}${andMore(more)}\n\n\`/${command} all\` ends ${running.length + more === 1 ? "it" : "them"}, too, \`/processes stop\` and a number one of them.`,
} as const;

/** A process in the background. */
interface Running extends Pick<BackgroundRow, "id" | "command" | "hosts" | "askers" | "route"> {
  readonly forMs: number;
}

function runningLine({ id, command, hosts, askers, forMs }: Running, where = ""): string {
  const names = [...new Set(askers.map(({ sender }) => sender.displayName))];
  const asked = names.length === 0 ? "" : `, started for ${listed(names.slice(0, 5))}`;
  const reach =
    hosts.length === 0 ? "" : `, may reach ${listed(hosts.slice(0, 5))}${hosts.length > 5 ? " and others" : ""}`;
  const [shown, about] = [shownCommand(command, callPhrases.marks), `, for ${inWords(forMs)}${asked}${reach}${where}`];
  return shown.isBlock ? `- ${codeOf(id)}${about}:\n\n${shown.text}` : `- ${codeOf(id)}: ${shown.text}${about}`;
}

function andMore(more: number): string {
  return more === 0 ? "" : `\n\nAnd ${more} more.`;
}
