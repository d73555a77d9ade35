import { z } from "zod";

/** A secret that shows itself only when asked by name. */
interface Revealing {
  reveal(): string;
}

/** A setting that holds a secret: text, or something that reveals it. `check` looks at the text. */
export function secretText(check: z.ZodType<string, string>) {
  return z
    .custom<string | Revealing>((value) => typeof value === "string" || isRevealing(value), "has to be text")
    .transform((value) => (typeof value === "string" ? value : value.reveal()))
    .pipe(check);
}

function isRevealing(value: unknown): value is Revealing {
  return typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function";
}
