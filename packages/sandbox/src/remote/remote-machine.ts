import type { Readable, Writable } from "node:stream";
import { GatewayError } from "@talaria/protocol";
import { wholeEnd } from "../whole-end.ts";

/** A machine that is not this one, with a shell of `sh`'s kind. */
export interface RemoteMachine {
  /** For whoever reads why something ended: `build.example.org`. */
  readonly name: string;
  /** Begins this text for `sh`. Throws `unavailable`. */
  run(command: string, stderr?: "apart"): Promise<RemoteCommand>;
}

export interface RemoteCommand {
  readonly stdin: Writable;
  /** Its stdout. Ends with it. */
  readonly output: Readable;
  /** Its stderr, where it is to be apart. Ends with it. */
  readonly errors?: Readable;
  /** The beginning of its stderr so far, where that is not apart. */
  complaint(): string;
  /** Never rejects. Undefined: the connection was lost. */
  readonly ended: Promise<RemoteEnd | undefined>;
  /** Stops listening, and makes `ended` resolve. */
  close(): void;
}

export type RemoteEnd = { readonly code: number } | { readonly signal: string };

const maxAnswer = 10_000;

/** What a short command of ours prints. Throws `unavailable` unless it succeeds. */
export async function ask(machine: RemoteMachine, command: string): Promise<string> {
  const running = await machine.run(command);
  let answer = "";
  running.output.on("data", (bytes: Buffer) => {
    if (answer.length < maxAnswer) answer += bytes.toString();
  });
  running.stdin.on("error", () => undefined);
  running.stdin.end();
  const end = await wholeEnd(running);
  if (end !== undefined && "code" in end && end.code === 0) return answer;
  const said = `${answer}${running.complaint()}`.trim().slice(0, 300);
  throw new GatewayError(`a command on ${machine.name} failed: ${said}`, { code: "unavailable" });
}
