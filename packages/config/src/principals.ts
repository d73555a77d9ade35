import { brandAs, type ConversationId, type IdForms, type Platform, type UserId } from "@talaria/protocol";

export interface Principals {
  readonly users: readonly UserId[];
  readonly groups: readonly ConversationId[];
}

export interface PrincipalForms {
  readonly platform: Platform;
  readonly ids: IdForms;
}

/** The form of the ids on a platform whose rules nobody has loaded. */
export const anyId: IdForms = { user: /^\S+$/, group: /^\S+$/, example: "an id without spaces" };

/**
 * Reads the ids of `access.allow`. Calls `complain` with the index and the error of each invalid entry. `*` is redundant
 * if access is open, and an error otherwise.
 */
export function parsePrincipals(
  entries: readonly string[],
  { platform, ids }: PrincipalForms,
  isOpen: boolean,
  complain: (index: number, message: string) => void,
): Principals {
  const users: UserId[] = [];
  const groups: ConversationId[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry === "*" && isOpen) continue;
    const fault = faultOfPrincipal(entry, platform, ids);
    if (fault !== undefined) {
      complain(index, fault);
      continue;
    }
    const { kind, id } = splitPrincipal(entry);
    if (kind === "user") users.push(brandAs<UserId>(id));
    else groups.push(brandAs<ConversationId>(id));
  }
  return { users, groups };
}

/** Why an entry of a list names nobody for certain; undefined when it does. */
export function faultOfPrincipal(entry: string, platform: Platform, form: IdForms): string | undefined {
  if (entry.trim() === "") return "an empty entry allows nobody: remove it";
  if (entry === "*") return '"*" is not an id: set access to `open` to let everybody in';
  const { prefix, kind, id } = splitPrincipal(entry);
  if (kind !== "user" && kind !== "group")
    return `names can be taken over by somebody else: use ids, for example ${form.example}`;
  if (prefix !== platform) return `belongs to ${prefix || "no platform"}, this account is on ${platform}`;
  if (!form[kind].test(id)) return `this is not the id of a ${kind} on ${platform}: for example ${form.example}`;
  return undefined;
}

/** `telegram:user:42` in its three parts. The id may have colons. */
export function splitPrincipal(entry: string): { prefix: string; kind: string | undefined; id: string } {
  const [prefix = "", kind, ...rest] = entry.split(":");
  return { prefix, kind, id: rest.join(":") };
}
