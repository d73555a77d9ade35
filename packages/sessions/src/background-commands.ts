import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { BackgroundRow, BackgroundStore, DirectSettlement } from "@talaria/store";
import { isAsked } from "./answer.ts";
import { backgroundNotices as notices } from "./background-notices.ts";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";

/** So many are listed at a time. */
const mostShown = 10;

export interface BackgroundDeps {
  readonly background: Pick<BackgroundStore, "running">;
}

/**
 * What `/processes` does: lists what runs in the background of this conversation, to an owner in private also of all others, or ends
 * one by its number. Whoever has asked for one may end it, so may members, and in private owners what others have asked for elsewhere.
 */
export async function processesCommand(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { background }: BackgroundDeps,
): Promise<DirectSettlement> {
  const isOwnerAlone = event.sender.role === "person" && role === "owner" && event.conversation.kind === "direct";
  const seen = await background.running(isOwnerAlone ? undefined : sessionKey);
  const [verb = "", number = ""] = (command.argument ?? "").trim().toLowerCase().split(/\s+/);
  if (verb === "") return settlement(command, event, listText(event, sessionKey, seen));
  if (verb !== "stop" || !/^\d+$/.test(number)) return settlement(command, event, notices.processesUsage);
  const meant = seen.find(({ id }) => id === number);
  if (meant === undefined) return settlement(command, event, notices.noProcess(number));
  if (!mayEnd(meant, event, role)) return refusal(event, notices.mayNotEnd);
  return {
    ...settlement(command, event, notices.processEnded(meant.id, meant.command)),
    idleMarkdown: notices.noProcess(number),
    effect: {
      kind: "end_background",
      sessionKey: meant.sessionKey,
      ids: [meant.id],
      why: "somebody here has ended it by /processes",
    },
  };
}

/** What still runs in a conversation, for whoever stops something else there. Empty when nothing does. */
export async function stillRunning(
  command: "stop" | "new",
  event: InboundEvent,
  sessionKey: SessionKey,
  { background }: BackgroundDeps,
): Promise<string> {
  const running = await background.running(sessionKey);
  return running.length === 0 ? "" : notices.stillRunning(command, shownOf(event, running), moreThan(running));
}

/** The `why` of `/stop all` and `/new all`. Undefined where something else stands behind the command. */
export function endsAll(argument: string | undefined): string | undefined {
  return argument?.trim().toLowerCase() === "all" ? "somebody here has ended all that ran" : undefined;
}

function mayEnd({ askers }: BackgroundRow, event: InboundEvent, role: Role): boolean {
  if (event.sender.role !== "person") return false;
  return isAtLeast(role, "member") || askers.every((asker) => isAsked({ askers: [asker] }, event));
}

function listText(event: InboundEvent, sessionKey: SessionKey, running: readonly BackgroundRow[]): string {
  const here = running.filter((one) => one.sessionKey === sessionKey);
  const elsewhere = running.filter((one) => one.sessionKey !== sessionKey);
  if (running.length === 0) return notices.noProcesses;
  const lists = [
    here.length === 0 ? notices.noProcesses : notices.processes(shownOf(event, here), moreThan(here)),
    ...(elsewhere.length === 0 ? [] : [notices.processesElsewhere(shownOf(event, elsewhere), moreThan(elsewhere))]),
  ];
  return [...lists, notices.howToEnd].join("\n\n");
}

function shownOf({ receivedAt }: InboundEvent, running: readonly BackgroundRow[]) {
  return running.slice(0, mostShown).map(({ startedAt, ...process }) => {
    return { ...process, forMs: Math.max(0, Date.parse(receivedAt) - Date.parse(startedAt)) };
  });
}

function moreThan(running: readonly BackgroundRow[]): number {
  return Math.max(0, running.length - mostShown);
}
