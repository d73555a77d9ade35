import { type InboundEvent, isGatewayError, type Role, searchAskerOf } from "@talaria/protocol";
import type { SaidLine, SearchStore } from "@talaria/store";
import { quoted, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { type DecisionSettlement, settlement } from "./decide.ts";

const mostShown = 8;
/** More of a line is not read: `quoted` shows the beginning. */
const chars = 300;

export interface SearchPastDeps {
  /** Without it, nothing is searched. */
  readonly past?: Pick<SearchStore, "find">;
}

/** `/search words`: lines that were said before, as far as whoever asks may see them here. */
export async function searchPast(
  given: GivenCommand,
  event: InboundEvent,
  role: Role,
  deps: SearchPastDeps,
): Promise<DecisionSettlement> {
  return settlement(given, event, await foundText(given, event, role, deps));
}

async function foundText(
  { argument }: GivenCommand,
  event: InboundEvent,
  role: Role,
  { past }: SearchPastDeps,
): Promise<string> {
  const { conversation, sender } = event;
  const { notices } = wordsFor(event);
  const asker = searchAskerOf(conversation, [{ sender, role }]);
  if (past === undefined || asker === undefined) return notices.searchNowhere;
  if (argument === undefined) return notices.searchUsage;
  try {
    const { hits } = await past.find({ text: argument, limit: mostShown, chars }, asker);
    return hits.length === 0 ? notices.searchNothing : notices.searchFound(hits.map(lineOf));
  } catch (error) {
    if (isGatewayError(error)) return notices.searchFailed;
    throw error;
  }
}

function lineOf({ at, from, displayName, markdown }: SaidLine): string {
  const when = `${at.slice(0, 16).replace("T", " ")} UTC`;
  return `- ${when}, ${from === "agent" ? "I" : quoted(displayName)}: ${quoted(markdown)}`;
}
