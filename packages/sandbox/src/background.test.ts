import assert from "node:assert/strict";
import { it } from "node:test";
import { type Clock, systemClock } from "@talaria/protocol";
import { BackgroundProcesses } from "./background.ts";
import { startChild } from "./child-program.ts";
import { CommandOutput } from "./command-output.ts";
import { WorkspaceFiles } from "./files.ts";
import { OutputFiles } from "./output-files.ts";
import type { Place } from "./place.ts";

const cases = [
  { leftMs: undefined, ms: 3_600_000, reason: /its time in the background was up after 60 minutes/ },
  { leftMs: 5_000, ms: 5_000, reason: /\[killed: its time was up\]/ },
];

for (const { leftMs, ms: mostMs, reason } of cases)
  it(`a command that goes on in the background does so for ${mostMs} ms at most`, async () => {
    const times: (readonly [ms: number, end: () => void])[] = [];
    const clock: Clock = {
      now: systemClock.now,
      elapsed: systemClock.elapsed,
      sleep: (ms) => new Promise((resolve) => times.push([ms, resolve])),
    };
    const outputs = new OutputFiles(new WorkspaceFiles({} as Place, clock, 0), clock, 0);
    const program = await startChild(["sleep", "3745"], {});
    program.output.resume();
    const said = new CommandOutput({ maxOutputChars: 100 }, outputs);
    const command = { shown: "sleep", startedAt: 0, program, said, ended: program.ended };
    const process = new BackgroundProcesses(clock, outputs, 1).adopt(command, leftMs);
    assert.deepEqual(
      times.map(([ms]) => ms),
      [mostMs],
    );
    times[0]?.[1]();
    assert.deepEqual(await process?.ended, { kind: "signal", signal: "SIGKILL" });
    assert.match(process?.output().text ?? "", reason);
  });
