// A mailbox in a process of its own, so that nothing else makes its event loop late.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { platform } from "@talaria/adapter-email";
import { adapterDeps } from "@talaria/testkit";

export interface MailTask {
  readonly settings: unknown;
  /** Whether senders may be heard. */
  readonly isAllowed: boolean;
}

export interface MailReport {
  /** So many mails were taken. */
  readonly took: number;
  /** By how much the event loop was late at most since the mail before, in ms. */
  readonly longestMs: number;
}

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
let took = 0;

function report(): void {
  const longestMs = Math.max(0, delay.max / 1e6 - resolutionMs);
  delay.reset();
  process.send?.({ took, longestMs } satisfies MailReport);
}

process.on("message", async ({ settings, isAllowed }: MailTask) => {
  const create = await platform.load();
  delay.enable();
  await create(settings, adapterDeps()).start({
    accept: async () => {
      took += 1;
      // The monitor has seen a delay only when its timer has run again.
      setTimeout(report, 20);
      return "recorded";
    },
    isAllowed: async () => isAllowed,
    received: async () => undefined,
    kindChanged: async () => undefined,
    added: async () => undefined,
    heard: async () => undefined,
    leftOut: () => undefined,
    report: ({ status }) => {
      if (status === "connected") report();
    },
    receipt: async () => undefined,
  });
});
