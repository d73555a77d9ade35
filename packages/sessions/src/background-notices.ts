import type { BackgroundRow } from "@talaria/store";
import { codeOf, inWords, placeName } from "./approval-notices.ts";
import { listed, oneLine } from "./notices.ts";

/** What people read about what runs in the background, and what a stop has dropped. Markdown. */
export const backgroundNotices = {
  stoppedAll: "Stopped, with all that ran in the background here.",
  stoppedOwn: "I no longer wait for an answer to what you alone had asked for.",
  /** Messages that waited, of whom, and of how many more people. */
  dropped: (messages: number, names: readonly string[], more: number) => {
    const what = messages === 1 ? "1 waiting message" : `${messages.toLocaleString("en")} waiting messages`;
    const people = [...names.map(codeOf), ...(more === 0 ? [] : [more === 1 ? "1 other" : `${more} others`])];
    const of = people.length < 2 ? people.join() : `${people.slice(0, -1).join(", ")} and ${people.at(-1)}`;
    return `${what} of ${of} ${messages === 1 ? "was" : "were"} dropped.`;
  },
  noProcesses: "Nothing runs in the background here.",
  processes: (running: readonly Running[], more: number) =>
    `Running in the background:\n\n${running.map(runningLine).join("\n")}${andMore(more)}`,
  processesElsewhere: (running: readonly Running[], more: number) =>
    `Running in other conversations:\n\n${running.map((one) => `${runningLine(one)}, in ${placeName(one.route)}`).join("\n")}${andMore(more)}`,
  howToEnd:
    "`/processes stop` and a number ends one. `/stop all` ends all of a conversation, with what I'm doing there.",
  processesUsage:
    "`/processes` lists what runs in the background, and `/processes stop` with a number of that list ends one. Nothing was ended.",
  noProcess: (number: string) =>
    `Nothing that runs here has the number ${codeOf(number.slice(0, 20))}. \`/processes\` lists what does.`,
  mayNotEnd: "Only whoever asked for it, or a member, can end that process.",
  processEnded: (id: string, command: string) => `I'm ending process ${codeOf(id)}: ${codeOf(oneLine(command))}.`,
  stillRunning: (command: "stop" | "new", running: readonly Running[], more: number) =>
    `Still running in the background:\n\n${running.map(runningLine).join("\n")}${andMore(more)}\n\n\`/${command} all\` ends ${running.length + more === 1 ? "it" : "them"}, too, \`/processes stop\` and a number one of them.`,
} as const;

/** A process in the background. */
interface Running extends Pick<BackgroundRow, "id" | "command" | "hosts" | "askers" | "route"> {
  readonly forMs: number;
}

function runningLine({ id, command, hosts, askers, forMs }: Running): string {
  const names = [...new Set(askers.map(({ sender }) => sender.displayName))];
  const asked = names.length === 0 ? "" : `, asked for by ${listed(names.slice(0, 5))}`;
  const reach =
    hosts.length === 0 ? "" : `, may reach ${listed(hosts.slice(0, 5))}${hosts.length > 5 ? " and others" : ""}`;
  return `- ${codeOf(id)}: ${codeOf(oneLine(command))}, for ${inWords(forMs)}${asked}${reach}`;
}

function andMore(more: number): string {
  return more === 0 ? "" : `\n\nAnd ${more} more.`;
}
