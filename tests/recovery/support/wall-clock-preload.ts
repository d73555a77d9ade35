// Loaded into every process of an installation before its own code, with --import: their wall clock is off by the milliseconds that
// the file named by NODE_TALARIA_WALL_CLOCK holds, and jumps when they change. Time that only runs forward stays as it is.
import { readFileSync } from "node:fs";

const lookMs = 50;
const file = process.env.NODE_TALARIA_WALL_CLOCK ?? "";
const RealDate = Date;
let offMs = readOff();

setInterval(() => {
  offMs = readOff();
}, lookMs).unref();

globalThis.Date = new Proxy(RealDate, {
  construct: (_, args: readonly unknown[], target) =>
    Reflect.construct(RealDate, args.length === 0 ? [now()] : args, target === globalThis.Date ? RealDate : target),
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) => (key === "now" ? now : Reflect.get(target, key, receiver)),
});

function now(): number {
  return RealDate.now() + offMs;
}

function readOff(): number {
  try {
    return Number(readFileSync(file, "utf8")) || 0;
  } catch {
    return 0;
  }
}
