import { z } from "zod";

/** Least rights first. */
export const roles = ["unverified", "guest", "member", "owner"] as const;

/**
 * What a sender may do. `owner`: listed in `owners`. `member`: on the allow list of the account, or approved by pairing.
 * `guest`: on no list, in a place that is open to everybody there. `unverified`: nobody checked who wrote.
 */
export type Role = (typeof roles)[number];

/** Reads a role that another process, perhaps of another version, has written. */
export const roleSchema: z.ZodType<Role> = z.enum(roles);

/** Whether `role` has at least the rights of `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** The role with the fewest rights: a turn has the rights of the weakest of its requesters. Undefined for an empty list. */
export function weakestOf(given: readonly Role[]): Role | undefined {
  return roles.find((role) => given.includes(role));
}
