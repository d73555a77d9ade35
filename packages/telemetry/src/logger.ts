import type { Log } from "@talaria/protocol";
import { pino } from "pino";
import { plainFields } from "./plain-fields.ts";
import { createRedactor } from "./redactor.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Which process writes, for example `gateway`. */
  readonly name: string;
  /** Texts that must never be printed. Asked at every line; a new list takes effect when it is another array. */
  readonly secrets: () => readonly string[];
  /** Takes finished lines. Default: standard output. */
  readonly destination?: { write(line: string): void };
}

export interface Logger extends Log {
  /** Keeps a text that became known later out of every following line, also those of children. */
  registerSecret(value: string): void;
}

/**
 * Writes one line of JSON per entry. No secret leaves it, in whatever field, stack, address or encoding it stands.
 * A secret that was known once stays hidden for good.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redactor = createRedactor();
  let current: readonly string[] = [];
  const logger = pino(
    {
      level: options.level,
      name: options.name,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error) => error },
      hooks: {
        streamWrite: (line) => {
          learn();
          return escapeInvisible(redactor.redactLine(line));
        },
      },
    },
    options.destination ?? standardOutput(),
  );

  const registerSecret = (value: string) => {
    if (!redactor.add(value)) logger.warn({ length: value.length }, "a secret is too short to be kept out of the log");
  };
  const learn = () => {
    const latest = options.secrets();
    if (latest === current) return;
    current = latest;
    for (const value of latest) registerSecret(value);
  };
  const hide = (text: string) => {
    learn();
    return redactor.redactText(text);
  };
  return { ...wrap(logger, hide), registerSecret };
}

/** A full disk or a closed pipe costs lines of the log, never the work that wanted to write one. */
function standardOutput(): pino.DestinationStream {
  const destination = pino.destination({ fd: 1, sync: true });
  destination.on("error", () => undefined);
  return destination;
}

function wrap(logger: pino.Logger, hide: (text: string) => string): Log {
  const writeAt = (level: LogLevel) => (fields: Readonly<Record<string, unknown>>, sentence: string) => {
    if (logger.isLevelEnabled(level)) logger[level](plainFields(fields, hide), sentence);
  };
  return {
    debug: writeAt("debug"),
    info: writeAt("info"),
    warn: writeAt("warn"),
    error: writeAt("error"),
    child: (fields) => wrap(logger.child(plainFields(fields, hide)), hide),
  };
}

// JSON leaves these alone, yet terminals act on them: C1 controls, line separators, marks that reverse the writing direction.
const invisible = /[\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

function escapeInvisible(line: string): string {
  return line.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
