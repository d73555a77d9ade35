import { type Clock, GatewayError, isGatewayError } from "@talaria/protocol";

/**
 * Makes one call to a platform that is certain to end: after `ms`, or when `signal` is aborted, with an unknown outcome.
 * Makes no call if `signal` is already aborted. Throws only GatewayError.
 */
export async function callPlatform<Result>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal.aborted)
    throw new GatewayError("the account was released before a call", { code: "unavailable", effect: "none" });
  const calling = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (message: string) => {
    const error = new GatewayError(message, { code: "unavailable", effect: "unknown" });
    calling.abort(error);
    reject(error);
  };
  const stop = () => end("the account was released during a call");
  signal.addEventListener("abort", stop, { once: true });
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => end("the platform did not answer in time"),
    () => undefined,
  );
  try {
    return await Promise.race([ended, call(calling.signal)]);
  } catch (error) {
    throw toGatewayError(error);
  } finally {
    // With a reason, because creating the default one takes longer than the rest of this.
    timer.abort("answered");
    signal.removeEventListener("abort", stop);
  }
}

function toGatewayError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  return new GatewayError("an adapter threw something other than a GatewayError", { code: "internal", cause: error });
}
