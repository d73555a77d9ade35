import type { AccountId, Log } from "@talaria/protocol";
import type { SkillStore } from "@talaria/store";
import { inEveryLanguage } from "@talaria/words";
import { modelFailures } from "./problem-watch.ts";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 15_000;
/** What the agent has written and nobody has used for so long is archived. */
const archiveDays = 60;

export interface SkillWatchDeps {
  readonly skills: Pick<SkillStore, "tend">;
  /** Lossy, and never throws. */
  readonly deliver: (accountId: AccountId) => void;
  readonly log: Log;
}

/** Looks at how skills did, and tells owners at home what follows from it. Several gateways may do it: one at a time does. */
export function startSkillWatch(deps: SkillWatchDeps): Repeated {
  const failed = (error: unknown) => deps.log.warn({ error }, "uses of skills could not be read");
  return repeat(() => tendSkills(deps), { everyMs, failed });
}

/** One look. Rejects when the store can't be reached now. */
async function tendSkills({ skills, deliver, log }: SkillWatchDeps): Promise<void> {
  const { accounts, setAside, archived } = await skills.tend({
    spared: [...modelFailures, "bad_request", "context_full"],
    archiveDays,
    news: {
      learnt: inEveryLanguage(({ skillNews }) => skillNews.learnt),
      setAside: inEveryLanguage(({ skillNews }) => skillNews.setAside),
      archived: inEveryLanguage(({ skillNews }) => skillNews.archived),
    },
  });
  for (const skill of setAside) log.warn({ skill }, "a skill was set aside: its last two uses have failed");
  for (const skill of archived) log.info({ skill }, "a skill was archived: nobody has used it");
  for (const accountId of accounts) deliver(accountId);
}
