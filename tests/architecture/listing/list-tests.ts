import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { taken } from "./noting-runner.ts";

// Every import of the test runner, also one deep in a fixture, gets the one that notes.
const runner = new URL("./noting-runner.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) => (specifier === "node:test" ? next(runner, context) : next(specifier, context)),
});

const listed = [];
for (const file of process.argv.slice(1).filter((argument) => argument.endsWith(".ts"))) {
  await import(pathToFileURL(resolve(file)).href);
  for (const test of await taken()) listed.push({ file, ...test });
}
process.stdout.write(`listed: ${JSON.stringify(listed)}\n`, () => process.exit(0));
