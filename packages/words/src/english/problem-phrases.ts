import type { ProblemPhrases } from "@talaria/store";
import { accountProblems } from "./account-problems.ts";
import { modelProblem } from "./model-problem.ts";

/** What operators and owners read of trouble. Markdown. */
export const problemPhrases: ProblemPhrases = {
  notRunning: "Talaria isn't running: start it with `npm start`, or `talaria gateway` and `talaria worker` in a fleet",
  missing: (kind) =>
    `no ${kind} is running: \`talaria start\` keeps one running, \`talaria ${kind}\` does in a fleet; the log says why it ended`,
  restarting: (since) =>
    `gateway and workers are being replaced, since ${since}, by \`talaria restart\` or a changed configuration: messages wait until that is done`,
  stopping: (since) => `Talaria is being stopped, since ${since}: messages wait until it is started again`,
  crashing: ({ name, host, crashes, since, at, how }) =>
    `the ${name} on ${host} ends again and again, ${crashes} times from ${since} to ${at} (the last: ${how}), and is started each time: \`talaria logs --level warn\` shows what came before; after SIGKILL, look at its memory`,
  model: modelProblem,
  ...accountProblems,
  noWorkplace: "workers lack commands, files or the browser: `talaria setup sandbox` says why, and mends it",
  place: ({ accountId, platform, code, places, more }) => {
    const where = [...places, ...(more === 0 ? [] : [`${more} more`])].join(", ");
    return `account ${accountId} (${platform}) ${whys[code](where)}. What was for them is given up: \`talaria why\` shows it, and \`talaria status\` how to send answers again`;
  },
  configuration: (fault, more) =>
    `the changed configuration is not in use, the one before goes on, because of ${fault}${more === 0 ? "" : ` and ${more} more`}: mend the file; \`talaria check\` tries it`,
};

const whys = {
  forbidden: (where: string) =>
    `may not write to ${where}: they have blocked the agent, or it was removed from the group or lost the right to write there`,
  not_found: (where: string) => `finds no conversation ${where}: it was deleted, or has another id now`,
} as const;
