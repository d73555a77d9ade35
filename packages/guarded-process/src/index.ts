export { type GuardedProcess, startGuarded } from "./start-guarded.ts";
