import { GatewayError } from "@talaria/protocol";

/**
 * What went wrong in words of ours: Playwright's messages quote the page, and an error's text reaches the model without the mark of
 * foreign words.
 */
export function toFailure(cause: unknown): GatewayError {
  const text = cause instanceof Error ? cause.message : "";
  const code = /net::(ERR_[A-Z_]{1,60})/.exec(text)?.[1];
  if (code !== undefined)
    return new GatewayError(`the page could not be opened: ${code}`, { code: "unavailable", cause });
  const known = reasons.find(([pattern]) => pattern.test(text));
  return new GatewayError(known?.[1] ?? "the browser could not do that with this page", {
    code: "unavailable",
    cause,
  });
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

const reasons: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/crash/i, "the page crashed; open it again, or do without it"],
  [/intercepts pointer events/, "another element covers this one; close what lies above it first"],
  [/not visible|outside of the viewport/, "the element can't be seen on the page"],
  [/not enabled|disabled/, "the element is disabled"],
  [/not editable|not an <input>/, "nothing can be typed into this element"],
  [/did not find some options/, "the list has no such option"],
  [/has been closed|Frame was detached/, "the page went away meanwhile; read it again"],
  [/Timeout|Cannot find context/, "the page did not do it in time; read it again"],
];
