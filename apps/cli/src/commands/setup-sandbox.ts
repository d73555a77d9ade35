import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadHome } from "../load-home.ts";
import { openInterview } from "../setup/open-interview.ts";
import { tryHere } from "../workplace/try-here.ts";

const say = (line: string) => console.log(line);

/**
 * `talaria setup sandbox`: tries commands, files and browser, tells what would mend what doesn't work, and runs it where somebody
 * agrees, or with `--yes`. Exit code 1 while something doesn't work.
 */
export async function setupSandbox(options: Record<string, string | boolean | undefined>): Promise<void> {
  const { home, config } = await loadHome(options, process.env, { mayBeNew: true });
  const done = new Set<string>();
  for (;;) {
    say("trying commands, files and browser");
    const { works, line, remedies } = await tryHere({ home, config }, { paid: true });
    say(line);
    if (works) {
      if (done.size > 0) say("A running installation notices within ten minutes, or at once when it is started again.");
      return;
    }
    process.exitCode = 1;
    const next = remedies.find(({ kind, text }) => kind === "command" && !done.has(text));
    if (next === undefined) {
      say(done.size === 0 ? "There is nothing that this command could run for it." : "It did not help.");
      return;
    }
    say(`This would mend it:\n\n  ${next.text}\n`);
    if (!(await isWanted(options.yes === true))) {
      say("Nothing was run.");
      return;
    }
    done.add(next.text);
    if (!(await succeeds(next.text))) {
      say("The command failed.");
      return;
    }
    process.exitCode = 0;
  }
}

/** Nobody who could be asked has not agreed. */
async function isWanted(isAgreed: boolean): Promise<boolean> {
  if (isAgreed) return true;
  using interview = await openInterview();
  return await interview.confirm("Run it now?", "no").catch(() => false);
}

/** It may ask for a password on the terminal. */
async function succeeds(command: string): Promise<boolean> {
  const shell = spawn("/bin/sh", ["-c", command], { stdio: "inherit" });
  const [code] = await once(shell, "close");
  return code === 0;
}
