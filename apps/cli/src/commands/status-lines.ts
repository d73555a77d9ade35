import type { AccountRow, Backlog, OperationsStore, ProcessRow, Spent } from "@talaria/store";
import { z } from "zod";

const width = 12;

/** Lines with a title in front of the first; "none" when there is no line. */
export function columns(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length === 0 ? ["none"] : lines;
  return shown.map((line, n) => `${(n === 0 ? title : "").padEnd(width)}${line}`);
}

export function processLine({ kind, pid, host, stats }: ProcessRow): string {
  return `${kind.padEnd(8)}${String(pid).padStart(8)} on ${host}${noteOn(stats.sandbox, "commands")}${noteOn(stats.browser, "browser")}`;
}

/** A sandbox that a worker has tried, for commands or the browser, and that does not hold or lacks something. */
function noteOn(sandbox: unknown, what: string): string {
  const { data } = sandboxSchema.safeParse(sandbox);
  return data === undefined || data.isUsable ? "" : `, no ${what}: ${data.reasons.join("; ")}`;
}

const sandboxSchema = z.object({ isUsable: z.boolean(), reasons: z.array(z.string()) });

/** Otherwise texts that wait for an account nobody holds would look like any others. */
export function accountLine({ accountId, platform, holder, connection, pendingDeliveries }: AccountRow): string {
  const notes = [
    holder === undefined ? ", held by nobody" : "",
    pendingDeliveries > 0 ? `, ${pendingDeliveries} to deliver` : "",
  ];
  return `${accountId} (${platform}): ${stateOf(connection)}${notes.join("")}`;
}

export function backlogLines(backlog: Backlog): readonly string[] {
  const { waitingEvents, runningTurns, suspendedTurns, pendingDeliveries, failedDeliveries, possibleDuplicates } =
    backlog;
  const suspended = suspendedTurns === 0 ? "" : `, waiting for somebody ${suspendedTurns}`;
  return [
    ...columns("messages", [
      `waiting ${waitingEvents}, running ${runningTurns}${suspended}, to deliver ${pendingDeliveries}`,
    ]),
    ...columns("so far", [`deliveries failed ${failedDeliveries}, possible duplicates ${possibleDuplicates}`]),
  ];
}

export function stuckLine(session: Awaited<ReturnType<OperationsStore["stuck"]>>[number]): string {
  const { sessionKey, waitedMs, setAsideAt } = session;
  if (setAsideAt === undefined) return `stuck for ${Math.round(waitedMs / 1000)} s: ${sessionKey}`;
  return `given up at ${setAsideAt}: ${sessionKey} (to try again: talaria retry '${sessionKey}')`;
}

/** `spent tokens/account/telegram-main: 12000 of 5000000, for 240 more minutes, 3 refused`. */
export function spentLine({ key, used, max, endsInMs, refused }: Spent): string {
  const notes = [
    max === undefined ? "" : ` of ${max}`,
    `, for ${Math.ceil(endsInMs / 60_000)} more minutes`,
    refused > 0 ? `, ${refused} refused` : "",
  ];
  return `spent ${key}: ${used}${notes.join("")}`;
}

function stateOf(connection: Readonly<Record<string, unknown>>): string {
  const { status: state = "unknown", hint, code } = connection;
  return [state, code, hint].filter((part) => part !== undefined).join(", ");
}
