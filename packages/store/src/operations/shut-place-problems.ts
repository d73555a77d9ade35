import type { Problem } from "../ports/problem.ts";
import type { ConversationRef, ShutPlace, ShutPlaces } from "../ports/shut-places.ts";
import { codeOf } from "./code-of.ts";

/** So many places stand in one text. */
const mostNamed = 3;
const mostNameChars = 60;

const keyOf = ({ accountId, conversationId }: ConversationRef) => `place:${accountId}/${conversationId}`;

/** One problem for each account and way of refusing, with the places that refused last. */
export function shutPlaceProblems({ shut }: ShutPlaces): readonly Problem[] {
  const kinds = Map.groupBy(shut, ({ accountId, code }) => `places:${accountId}:${code}`);
  const notIn = shut.map(({ accountId, conversationId }) => ({ accountId, conversationId }));
  return [...kinds].map(([key, places]) => ({ ...problemOf(key, places), notIn }));
}

/** Each place is over by itself. */
export function openedPlaceKeys({ shut, opened }: ShutPlaces): readonly string[] {
  const shutKeys = new Set(shut.map(keyOf));
  return opened.map(keyOf).filter((key) => !shutKeys.has(key));
}

function problemOf(key: string, places: readonly ShutPlace[]): Problem {
  const [{ accountId, platform, code, at }] = places as readonly [ShutPlace, ...ShutPlace[]];
  const named = places.slice(0, mostNamed);
  const more = places.length - named.length;
  const where = [...named.map(nameOf), ...(more === 0 ? [] : [more === 1 ? "1 more" : `${more} more`])].join(", ");
  return {
    kind: "place",
    key,
    code,
    line: `account ${accountId} (${platform}) ${whys[code](where)}. What was for them is given up: \`talaria why\` shows it, and \`talaria status\` how to send answers again`,
    stopsAnswers: false,
    isNote: true,
    seenAt: at,
    graceMs: 0,
    covers: named.map((place) => ({ key: keyOf(place), seenAt: place.at })),
  };
}

const whys: Readonly<Record<ShutPlace["code"], (where: string) => string>> = {
  forbidden: (where) =>
    `may not write to ${where}: they have blocked the agent, or it was removed from the group or lost the right to write there`,
  not_found: (where) => `finds no conversation ${where}: it was deleted, or has another id now`,
};

/** People choose names and titles: as code, they are no markup and no controls of a terminal. */
function nameOf({ name = "", conversationId }: ShutPlace): string {
  const [shown, id] = [codeOf(name, mostNameChars), codeOf(conversationId, mostNameChars)];
  return shown === undefined || shown === id ? (id ?? "without an id") : `${shown} (${id})`;
}
