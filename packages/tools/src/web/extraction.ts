import { Worker } from "node:worker_threads";
import { GatewayError } from "@talaria/protocol";
import type { SearchHit } from "./search-provider.ts";

const longestMs = 5_000;
/** The libraries are loaded before the time of the work begins. */
const longestStartMs = 20_000;
const mostThreads = 2;
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** Work on a stranger's HTML. Parsers can be made to take minutes for a few kilobytes, so they run where they can be killed. */
export interface ExtractionTasks {
  readonly article: {
    readonly task: { readonly kind: "article"; readonly html: string; readonly url: string };
    readonly result: { readonly facts: readonly string[]; readonly markdown: string };
  };
  readonly results: {
    readonly task: { readonly kind: "results"; readonly html: string };
    readonly result: readonly SearchHit[] | undefined;
  };
}

export type ExtractionTask = ExtractionTasks[keyof ExtractionTasks]["task"];

/** What the thread says: that its libraries are loaded, and what came of the task. */
export type ThreadNews =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly result: unknown }
  | { readonly type: "failed"; readonly message: string };

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Runs a task in a thread of its own with a limit of 5 s and 256 MB; at most two at once. Throws `too_large` when a limit is met,
 * `aborted` when stopped.
 */
export async function inThread<Kind extends keyof ExtractionTasks>(
  task: ExtractionTasks[Kind]["task"] & { readonly kind: Kind },
  signal: AbortSignal,
): Promise<ExtractionTasks[Kind]["result"]> {
  if (running >= mostThreads) await new Promise<void>((next) => waiting.push(next));
  else running += 1;
  try {
    return (await runThread(task, signal)) as ExtractionTasks[Kind]["result"];
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function runThread(task: ExtractionTask, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) throw stopped(signal);
  const thread = new Worker(new URL("./extraction-thread.ts", import.meta.url), {
    resourceLimits: memory,
    env: {},
    execArgv: [],
  });
  const settled = Promise.withResolvers<unknown>();
  const limit = (ms: number) =>
    AbortSignal.timeout(ms).addEventListener("abort", () => settled.reject(tooMuch(`${ms / 1_000} s`)), { once: true });
  const onAbort = () => settled.reject(stopped(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  limit(longestStartMs);
  thread.on("message", (news: ThreadNews) => {
    if (news.type === "done") settled.resolve(news.result);
    else if (news.type === "failed")
      settled.reject(new GatewayError(`the page could not be read: ${news.message}`, { code: "unsupported" }));
    else {
      limit(longestMs);
      thread.postMessage(task);
    }
  });
  thread.on("error", (error: Error & { readonly code?: string }) => {
    settled.reject(
      error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch(`${memory.maxOldGenerationSizeMb} MB`, error) : failed(error),
    );
  });
  thread.on("exit", () => settled.reject(failed(undefined)));
  try {
    return await settled.promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
}

function tooMuch(limit: string, cause?: unknown): GatewayError {
  return new GatewayError(`the page takes more than ${limit} to read: it is left alone. web_fetch gives its source`, {
    code: "too_large",
    cause,
  });
}

function failed(cause: unknown): GatewayError {
  return new GatewayError("the page could not be read", { code: "internal", effect: "none", cause });
}

function stopped(signal: AbortSignal): GatewayError {
  return new GatewayError("reading the page was stopped", { code: "aborted", effect: "none", cause: signal.reason });
}
