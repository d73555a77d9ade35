import { createInterface } from "node:readline";
import type { FromChild, ToChild } from "../messages.ts";
import { Calls } from "./calls.ts";
import { loadDefinition } from "./load-definition.ts";
import { shutOff } from "./shut-off.ts";

/*
 * The child's own program: it imports one tool file, says what is in it, and carries out its calls until its input ends. The
 * worker starts it with Node's permission model, so that the file system beyond the tools' folder and other programs are out of reach.
 */

const write = process.stdout.write.bind(process.stdout);
const say = (message: FromChild) => void write(`${JSON.stringify(message)}\n`);
const exit = process.exit.bind(process);
let calls: Calls | undefined;

/** Standard output belongs to the messages: what the tool prints goes to the log. */
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

const crash = (error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  write(`${JSON.stringify({ type: "crash", message: message.slice(0, 1_000) } satisfies FromChild)}\n`, () => exit(1));
};
process.on("uncaughtException", crash);

async function open({ file, folder, zod }: Extract<ToChild, { type: "open" }>): Promise<void> {
  const files = shutOff(folder, zod);
  try {
    const { definition, run, input } = await loadDefinition(file, zod);
    calls = new Calls(run, input, say);
    say({ type: "described", definition, files: [...files] });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    say({ type: "broken", problem: problem.slice(0, 1_000), files: [...files] });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line) as ToChild;
  if (message.type === "open") void open(message);
  else calls?.take(message);
});
lines.on("close", () => exit(0));
