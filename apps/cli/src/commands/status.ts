import type { TalariaConfig } from "@talaria/config";
import type { AccountRow, Backlog, OperationsStore, ProcessRow } from "@talaria/store";
import { durationText } from "../duration-text.ts";
import { linkingText } from "../linking.ts";
import { withStore } from "../open-store.ts";
import { version } from "../version.ts";

type StuckSession = Awaited<ReturnType<OperationsStore["stuck"]>>[number];

/** Events that wait or run for longer than this count as stuck. */
const stuckMs = 60_000;

/** `talaria status`: version, model, accounts, processes, backlog, sessions that are stuck or were given up. Shows no message text and no secret. */
export function status(options: Record<string, string | boolean | undefined>): Promise<void> {
  return withStore(options, async ({ operations, processes }, { config }) => {
    const [accounts, living, backlog, unfinished] = await Promise.all([
      operations.accounts(),
      processes.list(),
      operations.backlog(),
      operations.stuck(stuckMs, 20),
    ]);
    const now = Date.now();
    const stuck = reallyStuck(unfinished, living, now);
    const running = living.map(({ id, kind, host, pid, startedAt }) => ({ id, kind, host, pid, startedAt }));
    const model = modelOf(config);
    if (options.json === true) {
      console.log(JSON.stringify({ version, model, accounts, processes: running, backlog, stuck }, null, 2));
      return;
    }
    console.log(`talaria     ${version}, ${uptime(living, now)}, model ${model}`);
    for (const line of columns("processes", living.map(processLine))) console.log(line);
    const lines = columns("accounts", accounts.map(accountLine));
    for (const [n, line] of lines.entries()) {
      console.log(line);
      const account = accounts[n];
      const linking = account === undefined ? undefined : await linkingText(account.connection);
      if (linking !== undefined) console.log(linking);
    }
    for (const line of backlogLines(backlog)) console.log(line);
    for (const session of stuck) console.log(stuckLine(session));
  });
}

/** A message that waited while nothing ran is late, and no sign of trouble: only time with a worker counts. */
function reallyStuck(
  sessions: readonly StuckSession[],
  living: readonly ProcessRow[],
  now: number,
): readonly StuckSession[] {
  const starts = living.filter(({ kind }) => kind === "worker").map(({ startedAt }) => Date.parse(startedAt));
  if (starts.length === 0) return sessions;
  const workedMs = now - Math.min(...starts);
  return sessions
    .map((session) => ({ ...session, waitedMs: Math.min(session.waitedMs, workedMs) }))
    .filter(({ waitedMs, setAsideAt }) => setAsideAt !== undefined || waitedMs > stuckMs);
}

function modelOf({ agent, models }: TalariaConfig): string {
  const entry = models[agent.model];
  if (entry === undefined) return `${agent.model} (not configured)`;
  return `${entry.model} (${entry.provider})`;
}

function uptime(living: readonly ProcessRow[], now: number): string {
  const starts = living.map(({ startedAt }) => Date.parse(startedAt));
  return starts.length === 0 ? "not running" : `up for ${durationText(now - Math.min(...starts))}`;
}

/** The first column says once what the lines are. */
function columns(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length === 0 ? ["none"] : lines;
  return shown.map((line, n) => `${(n === 0 ? title : "").padEnd(12)}${line}`);
}

function processLine({ kind, pid, host }: ProcessRow): string {
  return `${kind.padEnd(8)}${String(pid).padStart(8)} on ${host}`;
}

function backlogLines(backlog: Backlog): readonly string[] {
  const { waitingEvents, runningTurns, pendingDeliveries, failedDeliveries, possibleDuplicates } = backlog;
  return [
    `messages    waiting ${waitingEvents}, running ${runningTurns}, to deliver ${pendingDeliveries}`,
    `so far      deliveries failed ${failedDeliveries}, possible duplicates ${possibleDuplicates}`,
  ];
}

function stuckLine({ sessionKey, waitedMs, setAsideAt }: StuckSession): string {
  if (setAsideAt === undefined) return `stuck for ${Math.round(waitedMs / 1000)} s: ${sessionKey}`;
  return `given up at ${setAsideAt}: ${sessionKey} (to try again: talaria retry '${sessionKey}')`;
}

/** Texts that wait for an account nobody holds would otherwise look like any others. */
function accountLine({ accountId, platform, holder, connection, pendingDeliveries }: AccountRow): string {
  const notes = [
    holder === undefined ? ", held by nobody" : "",
    pendingDeliveries > 0 ? `, ${pendingDeliveries} to deliver` : "",
  ];
  return `${accountId} (${platform}): ${stateOf(connection)}${notes.join("")}`;
}

function stateOf(connection: Readonly<Record<string, unknown>>): string {
  const { status: state = "unknown", hint, code } = connection;
  return [state, code, hint].filter((part) => part !== undefined).join(", ");
}
