/**
 * `node scripts/remove-package.mjs NAME` deletes an installed package, and what nothing else needs, from node_modules. For
 * images that must not contain it; the lock file stays as it is.
 */
import { readFileSync, rmSync } from "node:fs";
import { productionPackages } from "./dependency-graph.mjs";

const [name] = process.argv.slice(2);
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const all = productionPackages(lock);
if (name === undefined || ![...all.values()].some((one) => one.name === name)) {
  console.error(`usage: node scripts/remove-package.mjs NAME, where NAME is a package of package-lock.json`);
  process.exit(1);
}
const kept = productionPackages(lock, name);
for (const place of all.keys()) {
  if (kept.has(place)) continue;
  rmSync(place, { recursive: true, force: true });
  console.log(`removed ${place}`);
}
