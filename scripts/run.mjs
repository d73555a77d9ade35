// Every npm script comes here: node scripts/run.mjs <task> [arguments]. Works on Node.js 20 and later, without dependencies.
import { keptByNpm } from "./kept-by-npm.mjs";
import { prepare } from "./prepare.mjs";
import { taskNames, tasks } from "./tasks.mjs";

const [name = "", ...given] = process.argv.slice(2);
const parameters = given[0] === "--" ? given.slice(1) : given;

const kept = keptByNpm(name, parameters, process.env);

if (kept !== undefined) {
  console.error(`talaria: ${kept}`);
  process.exitCode = 2;
} else if (Object.hasOwn(tasks, name)) {
  process.exitCode = await tasks[name](await prepare(), parameters);
} else {
  console.error(`Unknown task "${name}". There are: ${taskNames.join(", ")}.`);
  process.exitCode = 2;
}
