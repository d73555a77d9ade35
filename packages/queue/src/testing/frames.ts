import { type AccountId, brandAs, type SessionKey, type StreamFrame, type TurnId } from "@talaria/protocol";
import type { AccountSignal } from "../index.ts";

export const account = brandAs<AccountId>("telegram-main");

/** A delta of one turn; its text is `text`, or says its number. */
export function delta(n: number, text = `word ${n} `): StreamFrame {
  const turnId = brandAs<TurnId>("turn-1");
  const sessionKey = brandAs<SessionKey>("telegram-main/5");
  return { accountId: account, sessionKey, turnId, fence: 1, n, type: "delta", offset: n, text };
}

/** The numbers of all frames among the signals, in order of arrival. */
export function frameNumbers(signals: readonly AccountSignal[]): number[] {
  return signals.flatMap((signal) => (signal.type === "frames" ? signal.frames.map(({ n }) => n) : []));
}
