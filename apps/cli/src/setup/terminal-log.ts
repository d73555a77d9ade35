import { type Log, silentLog } from "@talaria/protocol";

/** Warnings and errors as lines for the operator, each with its plain fields: `a mail was refused (no_results)`. */
export function terminalLog(say: (line: string) => void): Log {
  const write: Log["warn"] = ({ code, reason, method, status }, sentence) => {
    const facts = [code, reason, method, status].filter((fact) => fact !== undefined);
    say(`  ! ${sentence}${facts.length === 0 ? "" : ` (${facts.join(" ")})`}`);
  };
  const log: Log = { ...silentLog, warn: write, error: write, child: () => log };
  return log;
}
