import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { BackgroundRow, DirectSettlement, OperationsStore } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import type { HeadWork } from "./head-work.ts";
import { isAsked } from "./is-asked.ts";
import { type BackgroundDeps, moreThan, shownOf } from "./still-running.ts";

interface ProcessesDeps extends BackgroundDeps {
  readonly operations: Pick<OperationsStore, "session">;
  /** What the event's thread stands below. */
  readonly head?: HeadWork | undefined;
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
  { background, operations, head }: ProcessesDeps,
): Promise<DirectSettlement> {
  const { backgroundNotices: notices } = wordsFor(event);
  const isOwnerAlone = event.sender.role === "person" && role === "owner" && event.conversation.kind === "direct";
  const here = isOwnerAlone ? undefined : await background.running(sessionKey);
  const seen = here === undefined ? await background.running() : [...(head?.running ?? []), ...here];
  const [verb = "", named = ""] = (command.argument ?? "").trim().toLowerCase().split(/\s+/);
  // The agent says p2.
  const number = named.replace(/^p/, "");
  if (verb === "") {
    const text = listText(notices, event, [sessionKey, ...(head === undefined ? [] : [head.sessionKey])], seen);
    return settlement(
      command,
      event,
      await withTurn(notices, text, seen.length === 0, sessionKey, { operations, head }),
    );
  }
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

function mayEnd({ askers }: BackgroundRow, event: InboundEvent, role: Role): boolean {
  if (event.sender.role !== "person") return false;
  return isAtLeast(role, "member") || askers.every((asker) => isAsked({ askers: [asker] }, event));
}

/** With the turn that works here, or on the message above: people who ask for processes mean what they see running. */
async function withTurn(
  notices: Words["backgroundNotices"],
  text: string,
  isNone: boolean,
  sessionKey: SessionKey,
  { operations, head }: Pick<ProcessesDeps, "operations" | "head">,
): Promise<string> {
  if (head?.found.state === "running") return `${text}\n\n${notices.worksOnHead(head.found.doing)}`;
  const session = isNone ? await operations.session(sessionKey) : undefined;
  return session?.running === true && !session.asking ? notices.noProcessesButTurn : text;
}

function listText(
  notices: Words["backgroundNotices"],
  event: InboundEvent,
  places: readonly SessionKey[],
  running: readonly BackgroundRow[],
): string {
  const here = running.filter((one) => places.includes(one.sessionKey));
  const elsewhere = running.filter((one) => !places.includes(one.sessionKey));
  if (running.length === 0) return notices.noProcesses;
  const lists = [
    here.length === 0 ? notices.noProcesses : notices.processes(shownOf(event, here), moreThan(here)),
    ...(elsewhere.length === 0 ? [] : [notices.processesElsewhere(shownOf(event, elsewhere), moreThan(elsewhere))]),
  ];
  return [...lists, notices.howToEnd].join("\n\n");
}
