import { z } from "zod";
import type { Issue } from "./issue.ts";
import { suggestName } from "./suggest.ts";

const homeSchema = z.object({ approvals: z.object({ home: z.object({ account: z.string() }) }) });

/** Whether the account that asks for approvals is there. Reads `policy` as it is written, so that its other errors don't hide this one. */
export function checkHome(policy: unknown, accountNames: readonly string[]): readonly Issue[] {
  const account = homeSchema.safeParse(policy).data?.approvals.home.account;
  if (account === undefined || accountNames.includes(account)) return [];
  const suggestion = suggestName(account, accountNames);
  const path = ["policy", "approvals", "home", "account"];
  const message = `there is no account "${account}"`;
  return [suggestion === undefined ? { path, message } : { path, message, suggestion }];
}
