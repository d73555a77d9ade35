import type { ProblemFacts } from "@talaria/store";
import type { Home } from "../home.ts";
import { plannedAbsence } from "./planned-absence.ts";

/** What the `talaria start` of a data folder, if one lives, says there of what it does. Never rejects. */
export async function supervisorNews({ plannedRestartFile }: Home): Promise<Pick<ProblemFacts, "planned">> {
  const planned = await plannedAbsence(plannedRestartFile, Date.now());
  return planned === undefined ? {} : { planned };
}
