import { posix } from "node:path";
import type { Command } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import type { Place, Program } from "./place.ts";

/** A command as a place launches it. Throws `invalid_request` for words and variables that it may not have. */
export function toProgram(
  { command, folder = ".", variables = {} }: Omit<Command, "stdin">,
  place: Pick<Place, "shell" | "folder">,
): Program {
  const argv = typeof command === "string" ? [place.shell, "-c", command] : command;
  for (const word of [...argv, folder]) checkText(word);
  for (const [name, value] of Object.entries(variables)) checkVariable(name, value);
  return { argv, folder: posix.resolve(place.folder, folder), variables };
}

/** A single argument may have 128 KiB on Linux (MAX_ARG_STRLEN). */
const maxTextBytes = 128 * 1024 - 1;

/** Throws `invalid_request` for what no program can be given. */
function checkText(text: string): void {
  if (text.includes("\0"))
    throw new GatewayError("a command can't contain a NUL character", { code: "invalid_request" });
  if (Buffer.byteLength(text) > maxTextBytes)
    throw new GatewayError(`the command has more than ${maxTextBytes} bytes; write it to a file and run that`, {
      code: "invalid_request",
    });
}

/** What these say is the backend's to say: they would lead a program to code or settings of somebody else's. */
const reserved = /^(?:PATH|HOME|LANG|LD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|IFS|TALARIA_.*)$/;

function checkVariable(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name) || reserved.test(name))
    throw new GatewayError(
      `a command may not be given a variable called ${name.slice(0, 100)}: it could lead programs to other code, or is the sandbox's own`,
      { code: "invalid_request" },
    );
  checkText(value);
}
