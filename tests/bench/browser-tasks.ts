import type { Page } from "playwright-core";
import { quantile } from "./statistics.ts";

export interface Tasks {
  readonly count: number;
  readonly longestMs: number;
  readonly p99Ms: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** In microseconds. */
  readonly dur?: number;
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
  const tasks = events
    .filter((event) => event.name === "RunTask" && threads.has(threadOf(event)))
    .map(({ dur = 0 }) => dur / 1_000);
  return { count: tasks.length, longestMs: quantile(tasks, 1), p99Ms: quantile(tasks, 0.99) };
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}
