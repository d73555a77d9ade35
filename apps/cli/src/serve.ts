import { flushCompileCache } from "node:module";
import { compactWhenIdle } from "./compact-heap.ts";
import { openProcess, type ProcessContext } from "./process-context.ts";
import { showPulse } from "./pulse.ts";
import { databaseReason } from "./start/await-database.ts";
import type { FromChild, ToChild } from "./start/messages.ts";
import { untilBegin } from "./waiting.ts";

/** A process that was asked to drain ends after this time at the latest. */
const forceMs = 30_000;

export interface Served {
  readonly url?: string;
  /** Another worker has died: takes over at once what it held. */
  sweepNow?(): void;
  stop(): Promise<void>;
}

/**
 * Runs one process of Talaria until it is told to stop: by its supervisor, by the supervisor's death, or by SIGTERM. A
 * terminal sends SIGINT to the whole process group, so a supervised process leaves that to its supervisor. The context is
 * closed after what `begin` has started.
 */
export async function serve(
  role: "gateway" | "worker",
  options: Readonly<Record<string, string | boolean | undefined>>,
  begin: (context: ProcessContext) => Promise<Served>,
): Promise<void> {
  // What this process writes is for its own account only.
  process.umask(0o077);
  const supervised = process.send !== undefined;
  showPulse();
  await untilBegin(options);
  const asked = stopRequest(supervised);
  let context: ProcessContext | undefined;
  let served: Served;
  try {
    context = await openProcess(role, options);
    served = await begin(context);
  } catch (error) {
    await context?.close();
    if (!supervised) throw error;
    const line = error instanceof Error ? error.message : String(error);
    await tell({ type: "failed", line, reason: databaseReason(error) });
    process.exit(1);
  }
  process.on("message", (message: ToChild) => {
    if (message.type === "sweep") served.sweepNow?.();
  });
  await tell({ type: "ready", ...(served.url === undefined ? {} : { url: served.url }) });
  flushCompileCache();
  compactWhenIdle();
  await asked;
  setTimeout(() => process.exit(1), forceMs).unref();
  await served.stop();
  await context.close();
  process.exit(0);
}

function stopRequest(supervised: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.on("SIGINT", () => {
      if (!supervised) resolve();
    });
    if (!supervised) return;
    process.on("disconnect", () => resolve());
    process.on("message", (message: ToChild) => {
      if (message.type === "stop") resolve();
    });
  });
}

function tell(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}
