import { suspicionWords } from "@talaria/agent";
import { type FactFault, factFaultIn, mostScannedChars } from "@talaria/protocol";

/** Why a text may not be kept or shown, in half a sentence with what to do instead, for the model; undefined where it may. */
export function whyNotKept(text: string): string | undefined {
  const fault = factFaultIn(text);
  return fault && faultWords[fault];
}

/** Why each is a fault, in half a sentence for the model. */
export const faultWords: Readonly<Record<FactFault, string>> = {
  ...suspicionWords,
  too_long: `it is longer than ${mostScannedChars} characters`,
  unseen_characters: "it has characters that nobody sees, or that turn text round",
  mixed_alphabets: "it has words of mixed alphabets, which look like others than they are",
  secret: "it holds a secret: those belong into the operator's `secrets`",
  one_time_code: "it holds a code that is for one use",
  sends_away: "it makes its reader send something away",
  points_at_keys: "it points at files with keys",
  changes_settings: "it has settings of agents or of a shell changed",
  order: 'it is an order: say it as a fact, "prefers tables" rather than "always use tables"',
};
