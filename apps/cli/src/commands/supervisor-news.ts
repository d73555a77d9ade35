import { hostname } from "node:os";
import type { ProblemFacts } from "@talaria/store";
import type { Home } from "../home.ts";
import { configFaults } from "./config-faults.ts";
import { plannedAbsence } from "./planned-absence.ts";

/** What the `talaria start` of a data folder, if one lives, says there of what it does. Never rejects. */
export async function supervisorNews({
  dir,
  plannedRestartFile,
  refusedConfigFile,
}: Home): Promise<Pick<ProblemFacts, "planned" | "configuration">> {
  const [planned, faults] = await Promise.all([
    plannedAbsence(plannedRestartFile, Date.now()),
    configFaults(refusedConfigFile),
  ]);
  const configuration = { place: `${hostname()}:${dir}`, faults };
  return planned === undefined ? { configuration } : { configuration, planned };
}
