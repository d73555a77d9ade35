import type { InboundEvent, SessionKey } from "@talaria/protocol";
import type { BackgroundRow, BackgroundStore, CallStore, OperationsStore } from "@talaria/store";
import { backgroundNotices as notices } from "./background-notices.ts";

/** So many are listed at a time. */
const mostShown = 10;

export interface BackgroundDeps {
  readonly background: Pick<BackgroundStore, "running">;
}

interface UnderWayDeps extends BackgroundDeps {
  readonly operations: Pick<OperationsStore, "session">;
  readonly calls: Pick<CallStore, "waiting">;
}

/** What still runs in a conversation once somebody has stopped what is done there: what was let go ends with that. Empty when nothing does. */
export async function stillRunning(
  command: "stop" | "new",
  event: InboundEvent,
  sessionKey: SessionKey,
  { background }: BackgroundDeps,
): Promise<string> {
  const running = (await background.running(sessionKey)).filter(({ isLetGo }) => !isLetGo);
  return running.length === 0 ? "" : notices.stillRunning(command, shownOf(event, running), moreThan(running));
}

/** Whether a `/stop` would stop something in a session. `isAll`: what runs in the background, too. */
export async function isUnderWay(
  sessionKey: SessionKey,
  isAll: boolean,
  { operations, calls, background }: UnderWayDeps,
): Promise<boolean> {
  const session = await operations.session(sessionKey);
  if (session === undefined) return false;
  if (session.running || session.waiting > 0 || (await calls.waiting(sessionKey)).length > 0) return true;
  return isAll && (await background.running(sessionKey)).length > 0;
}

/** The `why` of `/stop all` and `/new all`. Undefined where something else stands behind the command. */
export function endsAll(argument: string | undefined): string | undefined {
  return argument?.trim().toLowerCase() === "all" ? "somebody here has ended all that ran" : undefined;
}

export function shownOf({ receivedAt }: InboundEvent, running: readonly BackgroundRow[]) {
  return running.slice(0, mostShown).map(({ startedAt, ...process }) => {
    return { ...process, forMs: Math.max(0, Date.parse(receivedAt) - Date.parse(startedAt)) };
  });
}

export function moreThan(running: readonly BackgroundRow[]): number {
  return Math.max(0, running.length - mostShown);
}
