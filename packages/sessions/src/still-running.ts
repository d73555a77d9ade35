import type { InboundEvent, SessionKey } from "@talaria/protocol";
import type { BackgroundRow, BackgroundStore, CallStore, MemoryEffect, OperationsStore } from "@talaria/store";
import { wordsFor } from "@talaria/words";

/** So many are listed at a time. */
const mostShown = 10;
const leaves: ReadonlySet<MemoryEffect["kind"]> = new Set(["undo", "branch", "resume"]);

export interface BackgroundDeps {
  readonly background: Pick<BackgroundStore, "running">;
}

interface UnderWayDeps extends BackgroundDeps {
  readonly operations: Pick<OperationsStore, "session" | "answerWaits">;
  readonly calls: Pick<CallStore, "waiting">;
}

/**
 * What runs in a conversation while somebody stops what is done there: what was let go `ends` with that, and the rest `goesOn`. Each is
 * empty when there is none.
 */
export async function stillRunning(
  command: "stop" | "new",
  event: InboundEvent,
  sessionKey: SessionKey,
  { background }: BackgroundDeps,
): Promise<{ readonly ends: string; readonly goesOn: string }> {
  const all = await background.running(sessionKey);
  const running = all.filter(({ isLetGo }) => !isLetGo);
  return {
    ends: endingText(event, all),
    goesOn:
      running.length === 0
        ? ""
        : wordsFor(event).backgroundNotices.stillRunning(command, shownOf(event, running), moreThan(running)),
  };
}

/** What was let go and ends with a memory that somebody leaves, or with these turns of it. Empty when nothing does. */
export async function endsWithMemory(
  event: InboundEvent,
  effect: MemoryEffect,
  { background }: BackgroundDeps,
): Promise<string> {
  if (!leaves.has(effect.kind)) return "";
  const all = await background.running(effect.sessionKey);
  if (effect.kind !== "undo") return endingText(event, all);
  const turns: readonly (string | undefined)[] = effect.turns;
  return endingText(
    event,
    all.filter(({ turnId }) => turns.includes(turnId)),
  );
}

function endingText(event: InboundEvent, running: readonly BackgroundRow[]): string {
  const ending = running.filter(({ isLetGo }) => isLetGo);
  return ending.length === 0 ? "" : wordsFor(event).backgroundNotices.ending(shownOf(event, ending), moreThan(ending));
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
  if (await operations.answerWaits(sessionKey)) return true;
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
