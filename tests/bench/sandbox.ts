import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandOptions } from "@talaria/agent";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "@talaria/sandbox";
import type { Figure } from "./main.ts";
import { describeMs } from "./statistics.ts";

const samples = 60;
const options: CommandOptions = {
  timeoutMs: 30_000,
  signal: new AbortController().signal,
  maxOutputChars: 1_000,
};

/** What bubblewrap adds to a command, and a command in the session's own shell. */
export async function sandbox(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), "talaria-bench-sandbox-"));
  // Commands of root run as somebody else, who has to pass it.
  await chmod(base, 0o711);
  const used = createSandbox({ backend: "sandbox", folder: base }, { clock: systemClock, log: silentLog });
  try {
    const started = performance.now();
    const { isUsable, reasons } = await used.start();
    const startMs = performance.now() - started;
    if (!isUsable)
      return [{ measure: "sandboxed command", reach: "p50 150 ms", value: `not here: ${reasons.join("; ")}` }];
    const workspace = await used.open("bench");
    const timed = async (work: () => Promise<unknown>) => {
      await work();
      const sample: number[] = [];
      for (let index = 0; index < samples; index += 1) {
        const from = performance.now();
        await work();
        sample.push(performance.now() - from);
      }
      return describeMs(sample);
    };
    const command = await timed(() => workspace.exec({ command: "true" }, options));
    const shell = await timed(() => workspace.run("true", options));
    const written = await timed(() => workspace.write("file", Buffer.from("x".repeat(300))));
    const read = await timed(() =>
      Promise.all(Array.from({ length: 12 }, () => workspace.read("file", { length: 300 }))),
    );
    const begunAt = performance.now();
    await Promise.all(Array.from({ length: 3 }, () => workspace.run("sleep 0.5", options)));
    const three = performance.now() - begunAt;
    return [
      { measure: "sandboxed command", reach: "p50 150 ms", value: command },
      { measure: "command in the session's shell", reach: "p50 10 ms", value: shell },
      { measure: "three commands of 500 ms at the same time", reach: "700 ms", value: `${three.toFixed(0)} ms` },
      { measure: "file written in the sandbox", reach: "p50 20 ms", value: written },
      { measure: "twelve reads of a file at the same time", reach: "p50 100 ms", value: read },
      { measure: "start of the sandbox with its self-test", reach: "5 s", value: `${startMs.toFixed(0)} ms` },
    ];
  } finally {
    await used.stop();
    await rm(base, { recursive: true, force: true });
  }
}
