import { type AskedCall, askersOf, type SkillAccess, type SkillProposal } from "@talaria/agent";
import { rightsOf } from "@talaria/policy";
import { type Derived, GatewayError, joinAskers, rolesIn, type TurnId } from "@talaria/protocol";
import { writtenSkill } from "@talaria/skills";
import type { SessionLease, SkillStore, WrittenSkill } from "@talaria/store";
import { type AuthoriseOptions, taintOfCall } from "./authorise.ts";
import { reachIn, sourceOf } from "./fact-access.ts";
import { everyoneIn } from "./first-facts.ts";
import type { Patience } from "./patience.ts";

export interface SkillWritingDeps extends Pick<AuthoriseOptions, "commands"> {
  readonly skills: Pick<SkillStore, "write">;
  /** Of the operator's own. Never rejects. */
  readonly namesTaken: () => Promise<readonly string[]>;
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly patiently: Patience;
}

/** What one call may keep as a skill: for the place where it is, with all that its words carry. */
export function createSkillWriting(deps: SkillWritingDeps): (asked: AskedCall) => SkillAccess {
  return (asked) => ({ write: (proposal, { key }) => write(proposal, key, asked, deps) });
}

async function write(proposal: SkillProposal, key: string, asked: AskedCall, deps: SkillWritingDeps): Promise<string> {
  const { skills, namesTaken, lease, turnId, patiently } = deps;
  const { place } = reachIn(asked, deps);
  const askers = askersOf(asked.journal);
  const people = joinAskers([...everyoneIn(asked.history), ...askers]).map(({ sender }) => sender.displayName);
  const taken = await namesTaken();
  const written = writtenSkill(proposal, people, taken);
  if ("refused" in written) throw refusal(`not kept: ${written.refused}`);
  const { skill, files } = written;
  if (skill === undefined || taken.some((name) => name.normalize("NFKC") === skill.name)) throw refusal(takenText);
  const { name, description, digest } = skill;
  const derived: Derived = {
    taint: taintOfCall(asked, rightsOf(rolesIn(askers)), deps),
    askers,
    audience: [place],
  };
  const kept = { ...{ name, description, digest, files, place, derived, callKey: key }, ...sourceOf(asked) };
  return answer(name, await patiently(() => skills.write(lease, turnId, kept)));
}

const takenText = "there is a skill of this name already, which is not yours to change: choose another name";

function answer(name: string, outcome: WrittenSkill): string {
  if (outcome === "taken") throw refusal(takenText);
  if (outcome === "full")
    throw refusal("there are as many skills as may be: replace one of those that you have written here");
  if (!outcome.isNew) return `That is the skill ${name} as it is, version ${outcome.version}.`;
  return (
    `Kept as the skill ${name}, version ${outcome.version}. It is known in this conversation alone, and what it says reads as a stranger's ` +
    `words, until an owner has accepted it: \`talaria skills accept ${name} ${outcome.version}\` does that.`
  );
}

function refusal(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}
