import { brandAs, type Platform, platformOf, type UserId } from "@talaria/protocol";
import type { Issue } from "./issue.ts";
import type { Platforms } from "./platform-rules.ts";
import { anyId, faultOfPrincipal, splitPrincipal } from "./principals.ts";
import { suggestName } from "./suggest.ts";

const form = "an owner is `<platform>:user:<id>`, for example telegram:user:123456";

/** The faults of the key `owners`. An owner may do everything, so each entry has to name one person for certain. */
export function checkOwners(entries: readonly string[], platforms: Platforms | undefined): readonly Issue[] {
  return entries.flatMap((entry, index) => {
    const fault = faultOf(entry, platforms);
    return fault === undefined ? [] : [{ path: ["owners", index], ...fault }];
  });
}

/** The owners on one platform. Faulty entries are left out. */
export function ownersOn(platform: Platform, entries: readonly string[]): readonly UserId[] {
  const parts = entries.map(splitPrincipal);
  return parts.flatMap(({ prefix, kind, id }) =>
    prefix === platform && kind === "user" && id !== "" ? [brandAs<UserId>(id)] : [],
  );
}

function faultOf(entry: string, platforms: Platforms | undefined): Omit<Issue, "path"> | undefined {
  const { prefix, kind } = splitPrincipal(entry);
  if (kind !== "user") return { message: form };
  const platform = platformOf(prefix);
  if (platform === undefined) return { message: form };
  if (platforms !== undefined && !platforms.names.includes(prefix)) {
    const suggestion = suggestName(prefix, platforms.names);
    const message = `"${prefix}" is not the name of a platform`;
    return suggestion === undefined ? { message } : { message, suggestion };
  }
  const message = faultOfPrincipal(entry, platform, platforms?.rules[prefix]?.ids ?? anyId);
  return message === undefined ? undefined : { message };
}
