import { inspect } from "node:util";

const methods = ["info", "warn", "error", "log"] as const;

let isSilenced = false;

/**
 * libsignal prints sessions with their private keys on the console. From the first call on, what it prints is dropped;
 * everything else still comes through. Call it before the library is loaded.
 */
export function silenceLibsignal(target: Record<(typeof methods)[number], (...values: unknown[]) => void>): void {
  if (isSilenced) return;
  isSilenced = true;
  for (const method of methods) {
    const print = target[method].bind(target);
    target[method] = (...values) => {
      if (!isFromLibsignal(values)) print(...values);
    };
  }
}

/** By who called, and by the look of a session in case the stack was cut. */
function isFromLibsignal(values: readonly unknown[]): boolean {
  const stack = new Error("where").stack ?? "";
  if (/[\\/]libsignal[\\/]/.test(stack)) return true;
  return values.some(
    (value) => typeof value === "object" && value !== null && /^SessionEntry/.test(inspect(value, { depth: 0 })),
  );
}
