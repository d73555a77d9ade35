import { Child } from "../child.ts";

/** Nothing but a supervisor of one child: the program and the arguments it is given. */
const [file = "", ...args] = process.argv.slice(2);

const child = new Child({ name: "child", file, args, env: process.env, logFile: 2, say: () => undefined });
await child.start();
process.send?.("started");
process.on("message", () => undefined);
