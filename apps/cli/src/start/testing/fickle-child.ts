import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { ToChild } from "../messages.ts";

/** A child of which each life does what the next word of the plan says, and writes down that it lived. */
const [diary = "", ...plan] = process.argv.slice(2);

const life = existsSync(diary) ? readFileSync(diary, "utf8").split("\n").length - 1 : 0;
const word = plan[life] ?? "serve";
appendFileSync(diary, `${word} ${process.pid}\n`);
console.log(`life ${life + 1}`);
if (word === "fail") process.send?.({ type: "failed", line: "no luck today" }, () => process.exit(1));
else if (word === "vanish") process.exit(3);
else {
  process.send?.({ type: "ready" });
  if (word === "crash") process.exit(4);
  process.on("message", (message: ToChild) => {
    if (message.type === "stop" && word !== "deaf") process.exit(0);
  });
}
