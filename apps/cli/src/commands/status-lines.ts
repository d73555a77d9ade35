import type { Disabled } from "@talaria/config";
import { isHomeOf } from "@talaria/protocol";
import {
  type AccountRow,
  type Backlog,
  type HeldTexts,
  type Home,
  type OperationsStore,
  type PairingRow,
  type Problem,
  type ProcessRow,
  type Undelivered,
  workplacesOf,
} from "@talaria/store";
import { z } from "zod";
import { durationText } from "../duration-text.ts";
import { failureWords } from "./failure-words.ts";
import { type Placed, placeWords } from "./place-words.ts";

const width = 12;

/** Lines with a title in front of the first; "none" when there is no line. */
export function columns(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length === 0 ? ["none"] : lines;
  return shown.map((line, n) => `${(n === 0 ? title : "").padEnd(width)}${line}`);
}

export function processLine({ kind, pid, host }: ProcessRow): string {
  return `${kind.padEnd(8)}${String(pid).padStart(8)} on ${host}`;
}

/** What workers have found of their commands, files and browser. Nothing where none has tried yet. */
export function workplaceLines(living: readonly Pick<ProcessRow, "stats">[]): readonly string[] {
  const lines = workplacesOf(living).map(({ line }) => line);
  return lines.length === 0 ? [] : columns("workplace", lines);
}

/** `PROBLEM     no worker is running: ...`, or `NOTE`: each says so itself, so that one can look for them. */
export function problemLines(problems: readonly Pick<Problem, "line" | "isNote">[]): readonly string[] {
  return problems.flatMap(({ line, isNote }) => columns(isNote === true ? "NOTE" : "PROBLEM", [line]));
}

/** What workers say of each MCP server, the same words once. Nothing where none is configured. */
export function serverLines(living: readonly Pick<ProcessRow, "stats">[]): readonly string[] {
  const servers = living.flatMap(({ stats }) => serversSchema.safeParse(stats.mcp).data ?? []);
  const lines = servers.flatMap(({ name, state, tools, problem, leftOut, unknown }) => [
    `${name}: ${stateWords(state, tools)}${problem === undefined ? "" : `, ${problem}`}`,
    ...leftOut.map((reason) => `${name}: left out ${reason}`),
    ...unknown.map((slip) => `${name}: ${slip}`),
  ]);
  return lines.length === 0 ? [] : columns("mcp", [...new Set(lines)]);
}

function stateWords(state: string, tools: number): string {
  if (state === "unused") return "not connected yet, nobody has needed it";
  return state === "ready" ? `${tools} tools` : state;
}

const serversSchema = z.array(
  z.object({
    name: z.string(),
    state: z.string(),
    tools: z.number(),
    problem: z.string().optional(),
    leftOut: z.array(z.string()),
    // Workers of a release before say nothing of it.
    unknown: z.array(z.string()).default([]),
  }),
);

/** What the configuration leaves out, unless it runs all the same: its gateway may have variables that this shell does not have. */
export function leftOutEntries(
  disabled: readonly Disabled[],
  accounts: readonly Pick<AccountRow, "accountId" | "holder">[],
): readonly string[] {
  const running = new Set<string>(accounts.filter(({ holder }) => holder !== undefined).map((row) => row.accountId));
  return disabled.flatMap(({ kind, name, reason }) =>
    running.has(kind === "webhook" ? `webhook-${name}` : name) ? [] : [`${kind} ${name}: ${reason}`],
  );
}

/** Routes that act for an owner who can't be asked. */
export function homelessRoutes(
  webhooks: Readonly<Record<string, { readonly onBehalfOf?: string }>>,
  homes: readonly Home[],
): readonly string[] {
  return Object.entries(webhooks).flatMap(([route, { onBehalfOf: owner }]) => {
    if (owner === undefined || homes.some((home) => isHomeOf({ owner }, home))) return [];
    const remedy = "they write /sethome to the agent in a direct conversation";
    return [`webhook ${route} acts for ${owner}, who can't be asked: what needs approval is denied until ${remedy}`];
  });
}

/** What keeps the operator's tool files from being tools, each once, whichever workers say so. */
export function toolFileProblems(living: readonly ProcessRow[]): readonly ToolFileProblem[] {
  const said = living.flatMap(({ stats }) => toolFilesSchema.safeParse(stats.toolFiles).data ?? []);
  return [...new Map(said.map((one) => [one.file, one])).values()];
}

/** `tool file weather.ts skipped: effect: expected one of "read"|"write"`, on one line. */
export function toolFileLine({ file, problem }: ToolFileProblem): string {
  return `tool file ${file} skipped: ${problem.replace(/\s+/g, " ").trim()}`;
}

type ToolFileProblem = z.output<typeof toolFilesSchema>[number];

const toolFilesSchema = z.array(z.object({ file: z.string(), problem: z.string() }));

/** Otherwise texts that wait for an account nobody holds would look like any others. */
export function accountLine(account: AccountRow, now: number): string {
  const { accountId, platform, holder, connection, pendingDeliveries, held } = account;
  const notes = [
    holder === undefined ? ", held by nobody" : "",
    held?.isOutage !== true && pendingDeliveries > 0 ? `, ${pendingDeliveries} to deliver` : "",
    held === undefined ? "" : `, ${heldWords(held, pendingDeliveries, now)}`,
  ];
  return `${accountId} (${platform}): ${stateOf(connection)}${notes.join("")}`;
}

/** `can't deliver since 2026-11-24T14:03:10Z (connection refused), 12 wait; last tried 12 s ago, next try in 20 s`. */
function heldWords(held: HeldTexts, waiting: number, now: number): string {
  const since = `${held.since.slice(0, "2026-11-24T14:03:10".length)}Z (${failureWords(held)})`;
  const state = held.isOutage ? `can't deliver since ${since}, ${waiting} wait` : `tried in vain since ${since}`;
  const nextMs = Date.parse(held.nextAt) - now;
  const next = nextMs > 0 ? `in ${durationText(nextMs)}` : "now";
  return `${state}; last tried ${durationText(Math.max(0, now - Date.parse(held.triedAt)))} ago, next try ${next}`;
}

/** `people      2 wait to be let in, the first for 3 h: ...`. Nothing where nobody waits. */
export function waitingPeopleLines(
  rows: readonly Pick<PairingRow, "state" | "createdAt">[],
  now: number,
): readonly string[] {
  const asked = rows.filter(isWaiting).map(({ createdAt }) => Date.parse(createdAt));
  if (asked.length === 0) return [];
  const wait = asked.length === 1 ? "1 waits" : `${asked.length} wait`;
  const since = durationText(Math.max(0, now - asked.reduce((first, one) => Math.min(first, one))));
  return columns("people", [
    `${wait} to be let in, the first for ${since}: \`talaria people\` lists them, \`talaria people add\` and an id lets one in`,
  ]);
}

export function isWaiting({ state }: Pick<PairingRow, "state">): boolean {
  return state === "waiting";
}

/** `background  2 processes`; no line without any. */
export function backgroundLines(counts: readonly { readonly processes: number }[]): readonly string[] {
  const processes = counts.reduce((sum, one) => sum + one.processes, 0);
  return processes === 0 ? [] : columns("background", [processes === 1 ? "1 process" : `${processes} processes`]);
}

export function backlogLines(backlog: Backlog): readonly string[] {
  const { runningTurns, suspendedTurns, pendingDeliveries, failedDeliveries, possibleDuplicates } = backlog;
  const suspended = suspendedTurns === 0 ? "" : `, waiting for somebody ${suspendedTurns}`;
  return [
    ...columns("messages", [
      `${waitingWords(backlog)}, running ${runningTurns}${suspended}, to deliver ${pendingDeliveries}`,
    ]),
    ...columns("so far", [`deliveries failed ${failedDeliveries}, possible duplicates ${possibleDuplicates}`]),
  ];
}

/** `waiting 4 (the oldest for 12 min; 2 behind a turn, 1 for files or further parts)`. */
function waitingWords({ waitingEvents, oldestWaitingMs, behindTurns, deferredEvents }: Backlog): string {
  if (waitingEvents === 0) return "waiting 0";
  const whatFor = [
    behindTurns === 0 ? "" : `${behindTurns} behind a turn`,
    deferredEvents === 0 ? "" : `${deferredEvents} for files or further parts`,
  ].filter((part) => part !== "");
  const notes = [
    `the oldest for ${durationText(oldestWaitingMs)}`,
    ...(whatFor.length === 0 ? [] : [whatFor.join(", ")]),
  ];
  return `waiting ${waitingEvents} (${notes.join("; ")})`;
}

type Stuck = Awaited<ReturnType<OperationsStore["stuck"]>>[number];

/** `stuck for 70 s: "Ada" (42) on main, session main/42`. */
export function stuckLine({ sessionKey, waitedMs, setAsideAt, place }: Stuck & Placed): string {
  const where = place === undefined ? "" : `${placeWords(place)}, `;
  if (setAsideAt === undefined) return `stuck for ${Math.round(waitedMs / 1000)} s: ${where}session ${sessionKey}`;
  return `given up at ${setAsideAt}: ${where}session ${sessionKey} (to try again: talaria retry '${sessionKey}')`;
}

export function undeliveredLine({ sessionKey, texts, at, place }: Undelivered & Placed): string {
  const count = texts === 1 ? "1 text" : `${texts} texts`;
  const where = place === undefined ? `session ${sessionKey}` : placeWords(place);
  return `given up on the way out at ${at}: ${count} for ${where} (to send again: talaria retry '${sessionKey}')`;
}

function stateOf(connection: Readonly<Record<string, unknown>>): string {
  const { status: state = "unknown", hint, code } = connection;
  return [state, code, hint].filter((part) => part !== undefined).join(", ");
}
