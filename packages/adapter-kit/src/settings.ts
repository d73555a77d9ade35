import { z } from "zod";

/**
 * A setting that holds a secret: text, or a `Secret` that shows it only to `reveal()`. What comes out is the plain text, as
 * `check` has it, and masks itself no longer: pass it to the client, never to a log.
 */
export function revealedSecret(check: z.ZodType<string, string>) {
  return z
    .custom<string | Revealing>((value) => typeof value === "string" || isRevealing(value), "has to be text")
    .transform((value) => (typeof value === "string" ? value : value.reveal()))
    .pipe(check);
}

/** A setting that holds a `Pace`. These numbers stand in for those that it lacks. */
export function pace(burst: number, refillMs: number) {
  return z
    .strictObject({
      burst: z.int().min(1).default(burst),
      refillMs: z.int().min(0).default(refillMs),
    })
    .prefault({});
}

/** A setting that holds an http or https address to which paths are added. Loses the slashes at its end. */
export const baseAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));

interface Revealing {
  reveal(): string;
}

function isRevealing(value: unknown): value is Revealing {
  return typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function";
}
