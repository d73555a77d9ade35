import type { Page } from "playwright-core";
import { quantile } from "./statistics.ts";

/** Of some time each: the longest, and below what 99 % are. */
interface Times {
  readonly longestMs: number;
  readonly p99Ms: number;
}

export interface Tasks {
  readonly count: number;
  /** From begin to end: what a person waits, also for whatever else the machine does meanwhile. */
  readonly taken: Times;
  /** Of the processor: the work of the page alone, whatever else the machine does. */
  readonly worked: Times;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds, as is `tdur`, that of the processor. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** How long each task kept the thread of the page while `work` ran, from the browser's own records. */
export async function recordTasks(page: Page, work: () => Promise<void>): Promise<Tasks> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const done = new Promise<void>((resolve) => session.on("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "disabled-by-default-devtools.timeline"] },
  });
  await work();
  await session.send("Tracing.end");
  await done;
  await session.detach();
  const threads = new Set(
    events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(threadOf),
  );
  const tasks = events.filter((event) => event.name === "RunTask" && threads.has(threadOf(event)));
  return {
    count: tasks.length,
    taken: timesOf(tasks.map(({ dur = 0 }) => dur)),
    worked: timesOf(tasks.map(({ tdur = 0 }) => tdur)),
  };
}

function timesOf(microseconds: readonly number[]): Times {
  return { longestMs: quantile(microseconds, 1) / 1_000, p99Ms: quantile(microseconds, 0.99) / 1_000 };
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}
