import type { Place } from "./place.ts";
import { quote } from "./quote.ts";
import type { ShellMarker } from "./shell-marker.ts";

/** The shell cuts what it says of its folder. */
const mostFolderBytes = 4_096;

/** By which a program is found again where it has no namespace of its own: each has to keep its own. */
const markVariable = "TALARIA_PROGRAM";

/**
 * The first lines of a shell. Its output stays on a descriptor that no command gets, whatever one does to its own. `state`: a file
 * that another one has written.
 */
export function firstLines(state: string | undefined): string {
  return `exec 9>&1\n${state === undefined ? "" : restored(state)}`;
}

/** Lines for the shell's stdin. The command itself reads from nothing. `variables`: for it alone, where the shell has none of that name. */
export function commandLines(
  command: string,
  end: ShellMarker,
  variables: Readonly<Record<string, string>> = {},
): string {
  const own = Object.entries(variables).map(([name, value]) => `${name}=\${${name}-${quote(value)}} `);
  return [`${own.join("")}command eval ${quote(command)} </dev/null >&9 2>&9 9>&-`, markLine(end, '"$?"', true)].join(
    "\n",
  );
}

/** Lines that write down what the next shell is to find: folder, variables and, in bash, functions. `read`: such files that nobody needs. */
export function stateLines(shell: Place["shell"], state: string, read: readonly string[], end: ShellMarker): string {
  const print = shell === "/bin/bash" ? "builtin declare -p; builtin declare -f" : "set; export PWD; export -p";
  // In a shell of its own, for the quota may kill it.
  const kept = `(unset ${markVariable}; umask 077; { ${print}; } >|${quote(state)}) 2>/dev/null 9>&- || :`;
  const removed = read.length === 0 ? "" : `rm -f ${read.map(quote).join(" ")} 9>&-\n`;
  return `${kept}\n${removed}${markLine(end, "0")}`;
}

/** A command with the folder and the variables that a shell has written down. */
export function besideText(command: string, state: string): string {
  return `${restored(state)}${command}`;
}

/** What can't be set anew, such as bash's own variables, stays as it is. */
function restored(state: string): string {
  const file = quote(state);
  return `[ -r ${file} ] && . ${file} >/dev/null 2>&1; cd -- "$PWD" 2>/dev/null\n`;
}

function markLine({ word }: ShellMarker, code: string, withFolder = false): string {
  const [format, folder] = withFolder ? [` %.${mostFolderBytes}s`, ' "$PWD"'] : ["", ""];
  return `command printf '\\036%s %d${format}\\036' ${word} ${code}${folder} >&9\n`;
}
