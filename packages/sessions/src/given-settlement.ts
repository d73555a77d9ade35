import type { Role, SessionKey } from "@talaria/protocol";
import { wordsFor } from "@talaria/words";
import { answer } from "./answer.ts";
import type { Authority } from "./authority.ts";
import { processesCommand } from "./background-commands.ts";
import { chooseModel } from "./choose-model.ts";
import { type CommandName, type GivenCommand, isMemoryCommand } from "./commands.ts";
import { commandSettlement } from "./control.ts";
import { type DecisionSettlement, decide, revoke, settlement } from "./decide.ts";
import { headWork, stoppedBy } from "./head-work.ts";
import { keptFacts } from "./kept-facts.ts";
import { learned } from "./learned.ts";
import { lift } from "./lift.ts";
import { memorySettlement } from "./memory-commands.ts";
import { listApprovals, setHome, waitingElsewhere } from "./owners-questions.ts";
import type { Passing } from "./passing.ts";
import { people } from "./people.ts";
import { searchPast } from "./search-past.ts";
import { trustFiles } from "./trust-files.ts";

/** Those that are, in a thread, also about the message that it stands below. */
const ofHead: ReadonlySet<CommandName> = new Set<CommandName>(["where", "cost", "status", "processes", "stop"]);

/** What a command does and answers, by whoever knows about it. */
export async function givenSettlement(
  given: GivenCommand,
  sessionKey: SessionKey,
  role: Role,
  authority: Exclude<Authority, "refused">,
  { event, policy, above, approved, deps }: Passing,
): Promise<DecisionSettlement> {
  const { name } = given;
  if (name === "approve" || name === "deny")
    return decide({ ...given, name }, event, sessionKey, role, deps, above !== undefined);
  if (name === "answer") return answer(given, event, deps);
  if (name === "approvals") return listApprovals(given, event, sessionKey, role, deps);
  if (name === "sethome") return setHome(given, event, sessionKey, role, deps);
  if (name === "revoke") return revoke(given, event, sessionKey, role, deps);
  if (name === "model" || name === "effort") return chooseModel({ ...given, name }, event, sessionKey, role, deps);
  if (name === "people") return people(given, event, sessionKey, role, deps);
  if (name === "search") return searchPast(given, event, role, deps);
  if (name === "start") return settlement(given, event, wordsFor(event).welcomeText(role, deps));
  if (name === "lift") return lift(given, event, sessionKey, role, deps);
  const head = ofHead.has(name) ? await headWork(event, sessionKey, policy, deps) : undefined;
  if (name === "processes") return processesCommand(given, event, sessionKey, role, { ...deps, head });
  if (name === "memory") return keptFacts(given, event, sessionKey, role, deps);
  if (name === "learned") return learned(given, event, sessionKey, role, deps);
  if (name === "trust") return trustFiles(given, event, sessionKey, role);
  if (isMemoryCommand(name))
    return memorySettlement({ ...given, name }, event, sessionKey, { role, authority }, { ...deps, policy });
  const own = { policy, approved, role, head, waitingElsewhere: () => waitingElsewhere(event, role, deps) };
  const wakes = name === "stop" ? await stoppedBy(given.argument, sessionKey, head, deps) : sessionKey;
  return { ...(await commandSettlement({ ...given, name }, event, wakes, authority, { ...deps, ...own })), wakes };
}
