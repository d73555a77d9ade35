import { type Log, silentLog, systemClock } from "@talaria/protocol";
import { createToolFiles } from "../tool-files/create-tool-files.ts";
import { contextOf } from "./tool-call.ts";

/** A worker in the middle of a call of a tool file, waiting for its death. Arguments: the folder, the tool. It says what the tool prints. */
const [folder = "", name = ""] = process.argv.slice(2);
const print: Log["debug"] = ({ text }) => typeof text === "string" && process.stdout.write(text);
const log: Log = { ...silentLog, debug: print, child: () => log };
const files = createToolFiles({ folder, clock: systemClock, log, patienceMs: 600_000 });
const [tool] = (await files.tools(new Set())).filter((one) => one.name === name);
await tool?.execute({}, contextOf());
