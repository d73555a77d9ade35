import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { PlatformStage } from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { stages } from "../support/platforms/stages.ts";
import type { ConversionReport, ConversionTask } from "./conversion-process.ts";
import type { Figure } from "./main.ts";

const processFile = fileURLToPath(new URL("conversion-process.ts", import.meta.url));
const warmUp = 50;
const measured = 200;

/**
 * What one incoming message costs in an adapter, from the platform's bytes to an event that the host has taken: processor
 * time of a process that runs nothing but the adapter. The platform's emulator runs in this one.
 */
export async function conversion(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, start] of stages) {
    await using stage = await start();
    const microseconds = await costOf(stage);
    figures.push({
      measure: `one message in, ${name}`,
      reach: "-",
      value: `${microseconds.toFixed(0)} µs of processor time`,
    });
  }
  return figures;
}

async function costOf(stage: PlatformStage): Promise<number> {
  const port = await freePort();
  await stage.reachedAt(`http://127.0.0.1:${port}`);
  const { platform, access, ...settings } = stage.account as { readonly platform: string; readonly access?: unknown };
  const task: ConversionTask = { platform, settings, port };
  const child = fork(processFile, { env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
  try {
    child.send(task);
    await told(child, "connected");
    await feed(stage, child, warmUp, warmUp);
    const before = await told(child, "used", "usage");
    await feed(stage, child, measured, warmUp + measured);
    const after = await told(child, "used", "usage");
    return (after.cpuMicroseconds - before.cpuMicroseconds) / measured;
  } finally {
    child.kill("SIGKILL");
  }
}

async function feed(stage: PlatformStage, child: ChildProcess, count: number, inAll: number): Promise<void> {
  const taken = told(child, "taken", inAll);
  for (let n = 0; n < count; n += 1)
    await stage.direct.say("ada", `message ${n} with **some** words and a https://link.example/`);
  await taken;
}

/** Sends a request, if any, and resolves with the next report of that kind. */
async function told(
  child: ChildProcess,
  kind: ConversionReport["kind"],
  request?: number | "usage",
): Promise<ConversionReport> {
  if (request !== undefined) child.send(request);
  for (;;) {
    const [report] = (await Promise.race([once(child, "message"), failure(child)])) as [ConversionReport];
    if (report.kind === kind) return report;
  }
}

async function failure(child: ChildProcess): Promise<never> {
  await once(child, "exit");
  throw new Error("the adapter's process ended");
}
