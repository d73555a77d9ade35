import type { Parameters } from "../parameters.ts";
import type { BotAccount, World } from "../world.ts";

export interface MethodCall {
  readonly world: World;
  readonly bot: BotAccount;
  readonly parameters: Parameters;
  /** Aborted when the caller hung up or the server stops. */
  readonly signal: AbortSignal;
}

/** One method of the Bot API: returns `result`, or throws `ApiError`. */
export type Method = (call: MethodCall) => unknown;
