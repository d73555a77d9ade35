import type { Problem } from "../ports/problem.ts";
import type { ProblemPhrases } from "../ports/problem-phrases.ts";
import type { ConversationRef, ShutPlace, ShutPlaces } from "../ports/shut-places.ts";
import { codeOf } from "./code-of.ts";

/** So many places stand in one text. */
const mostNamed = 3;
const mostNameChars = 60;

const keyOf = ({ accountId, conversationId }: ConversationRef) => `place:${accountId}/${conversationId}`;

/** One problem for each account and way of refusing, with the places that refused last. */
export function shutPlaceProblems({ shut }: ShutPlaces, phrases: ProblemPhrases): readonly Problem[] {
  const kinds = Map.groupBy(shut, ({ accountId, code }) => `places:${accountId}:${code}`);
  const notIn = shut.map(({ accountId, conversationId }) => ({ accountId, conversationId }));
  return [...kinds].map(([key, places]) => ({ ...problemOf(key, places, phrases), notIn }));
}

/** Each place is over by itself. */
export function openedPlaceKeys({ shut, opened }: ShutPlaces): readonly string[] {
  const shutKeys = new Set(shut.map(keyOf));
  return opened.map(keyOf).filter((key) => !shutKeys.has(key));
}

function problemOf(key: string, places: readonly ShutPlace[], phrases: ProblemPhrases): Problem {
  const [{ accountId, platform, code, at }] = places as readonly [ShutPlace, ...ShutPlace[]];
  const named = places.slice(0, mostNamed);
  const more = places.length - named.length;
  return {
    kind: "place",
    key,
    code,
    line: phrases.place({ accountId, platform, code, places: named.map(nameOf), more }),
    stopsAnswers: false,
    isNote: true,
    seenAt: at,
    graceMs: 0,
    covers: named.map((place) => ({ key: keyOf(place), seenAt: place.at })),
  };
}

/** People choose names and titles: as code, they are no markup and no controls of a terminal. */
function nameOf({ name = "", conversationId }: ShutPlace): string {
  const [shown, id] = [codeOf(name, mostNameChars), codeOf(conversationId, mostNameChars)];
  return shown === undefined || shown === id ? (id ?? "``") : `${shown} (${id})`;
}
