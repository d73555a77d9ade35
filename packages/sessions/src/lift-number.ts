import { limitId, limitOf } from "@talaria/policy";
import type { Choice, Conversation } from "@talaria/protocol";
import { english, type Words } from "@talaria/words";

const dayMs = 86_400_000;

/** The number that `/lift` takes. Undefined: it is over within a minute, and nobody needs to lift it. */
export function liftNumber(key: string): string | undefined {
  const windowMs = limitOf(key)?.windowMs ?? 0;
  return windowMs < dayMs ? undefined : limitId(key);
}

/** What notices about the limit with this number are about. */
export function limitSubject(number: string): string {
  return `limit ${number}`;
}

/** The button that lifts the limit with this number for a day. In a group the notice below which it stands then says so in its own message. */
export function liftChoice(number: string, place: Conversation["kind"], { limits }: Words = english): Choice {
  return { id: `lift-${number}${place === "direct" ? "" : "-here"}`, label: limits.lift };
}
