import { writeFileSync } from "node:fs";
import { untilBegin } from "../../waiting.ts";
import type { ToChild } from "../messages.ts";

/** A child that can be started early. It writes its id into a file, and serves with what it was given. */
const [file = ""] = process.argv.slice(2);

writeFileSync(file, String(process.pid));
await untilBegin({});
process.on("message", (message: ToChild) => {
  if (message.type === "stop") process.exit(0);
});
process.send?.({ type: "ready", url: process.env.GIVEN ?? "" });
