import type { AccountRow, OperationsStore, Spent } from "@talaria/store";
import { linkingText } from "../linking.ts";
import { withStore } from "../open-store.ts";

type StuckSession = Awaited<ReturnType<OperationsStore["stuck"]>>[number];

/** Events that wait or run for longer than this count as stuck. */
const stuckMs = 60_000;

/** `talaria status`: accounts, processes, backlog, sessions that are stuck or were given up. Shows no message text and no secret. */
export function status(options: Record<string, string | boolean | undefined>): Promise<void> {
  return withStore(options, async ({ operations, processes }) => {
    const [accounts, living, backlog, stuck, spending] = await Promise.all([
      operations.accounts(),
      processes.list(),
      operations.backlog(),
      operations.stuck(stuckMs, 20),
      operations.spending(20),
    ]);
    const running = living.map(({ id, kind, host, pid, startedAt }) => ({ id, kind, host, pid, startedAt }));
    if (options.json === true) {
      console.log(JSON.stringify({ accounts, processes: running, backlog, stuck, spending }, null, 2));
      return;
    }
    console.log(`processes: ${running.map(({ kind, host, pid }) => `${kind} ${pid}@${host}`).join(", ") || "none"}`);
    for (const account of accounts) {
      console.log(lineOf(account));
      const linking = await linkingText(account.connection);
      if (linking !== undefined) console.log(linking);
    }
    const { waitingEvents, runningTurns, pendingDeliveries, failedDeliveries, possibleDuplicates } = backlog;
    console.log(`waiting ${waitingEvents}, running ${runningTurns}, to deliver ${pendingDeliveries}`);
    console.log(`deliveries failed ${failedDeliveries}, possible duplicates ${possibleDuplicates}`);
    for (const one of spending) console.log(spentLine(one));
    for (const session of stuck) console.log(stuckLine(session));
  });
}

function stuckLine({ sessionKey, waitedMs, setAsideAt }: StuckSession): string {
  if (setAsideAt === undefined) return `stuck for ${Math.round(waitedMs / 1000)} s: ${sessionKey}`;
  return `given up at ${setAsideAt}: ${sessionKey} (to try again: talaria retry '${sessionKey}')`;
}

/** `spent tokens/account/telegram-main: 12000 of 5000000, for 240 more minutes, 3 refused`. */
function spentLine({ key, used, max, endsInMs, refused }: Spent): string {
  const notes = [
    max === undefined ? "" : ` of ${max}`,
    `, for ${Math.ceil(endsInMs / 60_000)} more minutes`,
    refused > 0 ? `, ${refused} refused` : "",
  ];
  return `spent ${key}: ${used}${notes.join("")}`;
}

/** Texts that wait for an account nobody holds would otherwise look like any others. */
function lineOf({ accountId, platform, holder, connection, pendingDeliveries }: AccountRow): string {
  const notes = [
    holder === undefined ? ", held by nobody" : "",
    pendingDeliveries > 0 ? `, ${pendingDeliveries} to deliver` : "",
  ];
  return `account ${accountId} (${platform}): ${stateOf(connection)}${notes.join("")}`;
}

function stateOf(connection: Readonly<Record<string, unknown>>): string {
  const { status: state = "unknown", hint, code } = connection;
  return [state, code, hint].filter((part) => part !== undefined).join(", ");
}
