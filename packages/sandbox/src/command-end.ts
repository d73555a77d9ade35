import { constants } from "node:os";
import type { CommandResult } from "@talaria/agent";
import type { ProgramEnd } from "./place.ts";

/**
 * Shells and bubblewrap report a death by a signal as 128 and its number, so a code that names one of these is read as
 * that signal, on every backend alike.
 */
const deadly = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL"] as const;
const further = ["SIGSEGV", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"] as const;
const signals = new Map([...deadly, ...further].map((name) => [128 + constants.signals[name], name]));

export function toCommandEnd({ code, signal }: ProgramEnd): CommandResult["end"] {
  if (signal !== undefined) return { kind: "signal", signal };
  const named = code === undefined ? "SIGKILL" : signals.get(code);
  if (named !== undefined) return { kind: "signal", signal: named };
  return { kind: "exit", code: code ?? 0 };
}
