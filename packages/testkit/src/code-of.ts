import { isGatewayError } from "@talaria/protocol";

/** The code a call fails with; any other error as words, and `no error` if it succeeds. */
export async function codeOf(work: Promise<unknown> | undefined): Promise<string> {
  return (work ?? Promise.reject(new Error("the method is missing"))).then(
    () => "no error",
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  );
}
