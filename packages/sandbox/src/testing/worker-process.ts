import { createServer } from "node:net";
import { silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "../sandbox.ts";

/** A worker that has something running in its sandbox in every way there is, and waits for its death. Argument: a folder. */
const [folder = ""] = process.argv.slice(2);
const network = { allow: ["localhost:9"] };
const sandbox = createSandbox({ backend: "sandbox", folder, network }, { clock: systemClock, log: silentLog });
const { reasons } = await sandbox.start();
if (reasons.length > 0) throw new Error(reasons.join());
const workspace = await sandbox.open("a");
const options = { timeoutMs: 60_000, signal: new AbortController().signal, maxOutputChars: 1_000 };
await workspace.run("setsid sleep 3741 &", options);
const background = await workspace.spawn({ command: "setsid sleep 3741 & echo begun; wait" });
void workspace.exec({ command: "(setsid sleep 3741 &) ; echo begun >begun; sleep 3741" }, options);
const cell = await sandbox.openCell(createServer());
const inCell = await cell.launch(["/bin/sh", "-c", "setsid sleep 3741 & echo begun; exec sleep 3741"]);
await new Promise((begun) => inCell.output.once("data", begun));
while (background.output().text === "") await systemClock.sleep(20);
while ((await workspace.read("begun", { length: 9 }).catch(() => undefined)) === undefined) await systemClock.sleep(50);
process.stdout.write("ready\n");
