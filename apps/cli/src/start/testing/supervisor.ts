import { Child } from "../child.ts";

/** Nothing but a supervisor of one child, which it starts or only loads: the program and the arguments it is given. */
const [order, file = "", ...args] = process.argv.slice(2);

const say = (line: string) => process.send?.({ said: line });
const child = new Child({ name: "child", file, args, env: process.env, logFile: 2, say });
if (order === "load") child.load();
else await child.start();
process.send?.("done");
process.on("message", () => undefined);
