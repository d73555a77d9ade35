// Runs after each `npm install`: keeps compiled code for the first start. An installation without it is as good, and slower.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./launch.mjs";
import { repository } from "./prepare.mjs";
import { isRecent } from "./runtime.mjs";
import { compileCache, program } from "./tasks.mjs";

if (isRecent(process.versions.node) && existsSync(join(repository, "node_modules", "commander"))) {
  await launch(process.execPath, [...program, "warm"], { NODE_COMPILE_CACHE: compileCache }).catch(() => undefined);
}
