type Write = (fields: Readonly<Record<string, unknown>>, sentence: string) => void;

/**
 * Fields first, then a fixed sentence without values: `log.info({ accountId, eventId }, "event recorded")`.
 * Names in use: accountId, platform, conversationId, eventId, sessionKey, turnId, deliveryKey, code, durationMs.
 * What people wrote and their names are logged at `debug` only.
 */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  /** An operator should look. Pass the error as `error`. */
  readonly error: Write;
  child(fields: Readonly<Record<string, unknown>>): Log;
}

const ignore: Write = () => undefined;

/** Drops everything. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLog };
