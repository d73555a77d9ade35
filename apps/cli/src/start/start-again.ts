import { existsSync } from "node:fs";
import { commandFile } from "../shell/working-words.ts";

/**
 * Becomes a new `talaria start` with the same arguments, terminal and process id, so that a shell or a service manager sees none end. In a
 * repository it is begun as `npm start` begins it, which brings dependencies of a release that was pulled meanwhile. Does not return.
 */
export function startAgain(): void {
  const { execPath, execArgv, argv, env } = process;
  const [, main = "", ...words] = argv;
  const program = existsSync(commandFile) ? [commandFile] : [...execArgv, main];
  if (process.execve === undefined) throw new Error("this system can't start it again by itself: start Talaria now");
  process.execve(execPath, [execPath, ...program, ...words], env);
}
