import { isGatewayError } from "@talaria/protocol";

/** The code a call fails with: what else it throws as words, and `no error` when it succeeds. */
export async function codeOf(work: Promise<unknown> | undefined): Promise<string> {
  return (work ?? Promise.reject(new Error("the method is missing"))).then(
    () => "no error",
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  );
}
