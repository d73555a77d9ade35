import { Duplex, pipeline } from "node:stream";
import { soundsSecret } from "@talaria/config";
import { redactor } from "@talaria/foreign-content";
import type { Spawn } from "@talaria/mcp";

/** A shorter one can't be told from other words. */
const shortestSecret = 8;

/** The fetch, in whose answers stars stand for what the request's headers carried to prove who asks. */
export function maskedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const values = valuesIn([...headers].filter(([name]) => name === "authorization" || soundsSecret(name)));
    if (answer.body === null || values.length === 0) return answer;
    const { status, statusText, headers: own, url, type, redirected } = answer;
    const body = answer.body.pipeThrough(
      Duplex.toWeb(redactor(values)) as ReadableWritablePair<Uint8Array, Uint8Array>,
    );
    const masked = new Response(body, { status, statusText, headers: own });
    // Which server answered decides whether a redirect is followed.
    return Object.defineProperties(masked, {
      url: { value: url },
      type: { value: type },
      redirected: { value: redirected },
    });
  };
}

/** Starts programs in whose output stars stand for the secrets among their variables. */
export function maskedSpawn(spawn: Spawn): Spawn {
  return async (command) => {
    const child = await spawn(command);
    const values = valuesIn(Object.entries(command.variables ?? {}).filter(([name]) => soundsSecret(name)));
    if (values.length === 0) return child;
    const [stdout, stderr] = [child.stdout, child.stderr].map((one) =>
      pipeline(one, redactor(values), () => undefined),
    );
    return { ...child, stdout: stdout ?? child.stdout, stderr: stderr ?? child.stderr };
  };
}

/** Behind a scheme such as `Bearer` stands what is secret. */
function valuesIn(given: readonly (readonly [name: string, text: string])[]): readonly string[] {
  const words = given.flatMap(([, text]) => [text, ...text.split(" ").slice(-1)]);
  return [...new Set(words.filter((word) => word.length >= shortestSecret))];
}
