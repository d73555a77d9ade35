import { type Log, silentLog } from "@talaria/protocol";

/** For commands that talk to a person: only what went wrong, on standard error. */
export const plainLog: Log = {
  ...silentLog,
  error: (_fields, sentence) => console.error(sentence),
  child: () => plainLog,
};
