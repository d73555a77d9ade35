import { isGatewayError } from "@talaria/protocol";

/** Calls with formatting, and once more without when Telegram cannot read the formatting: then nothing was posted. */
export async function formatted<T>(call: (isFormatted: boolean) => Promise<T>): Promise<T> {
  try {
    return await call(true);
  } catch (error) {
    if (isRefused(error, "entities")) return call(false);
    throw error;
  }
}

/** Whether Telegram refused a request for this reason; see the rules in `errors.ts`. */
export function isRefused(error: unknown, reason: string): boolean {
  return isGatewayError(error) && error.details.reason === reason;
}
