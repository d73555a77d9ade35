import { type Platform, platformOf, type UserId } from "@talaria/protocol";
import { ownersOn } from "./owners.ts";
import { splitPrincipal } from "./principals.ts";
import { parseYaml } from "./yaml-source.ts";

/** Somebody whom a configuration file lets in, and where it says so. */
export interface ListedPerson {
  readonly userId: UserId;
  readonly role: "owner" | "member";
  /** Whom the entry counts for: an account, or of an owner every account of the platform. */
  readonly account?: string;
  readonly platform: Platform;
  /** `owners`, or `accounts.<name>.access.allow`. */
  readonly key: string;
  /** 1-based. */
  readonly line: number;
}

/** The people in `owners` and in the lists of accounts, in the order of the text. Groups and faulty entries are left out. */
export function listedPeople(text: string): readonly ListedPerson[] {
  const source = parseYaml(text);
  const { owners, accounts } = source.value;
  const found: ListedPerson[] = entriesOf(owners).flatMap((entry, index) => {
    const platform = platformOf(splitPrincipal(entry).prefix);
    const { line } = source.placeOf(["owners", index], "value");
    if (platform === undefined) return [];
    return ownersOn(platform, [entry]).map((userId) => ({ userId, role: "owner", platform, key: "owners", line }));
  });
  for (const [account, entry] of Object.entries(isMapping(accounts) ? accounts : {})) {
    const access = isMapping(entry) && isMapping(entry.access) ? entry.access : {};
    const platform = isMapping(entry) && typeof entry.platform === "string" ? platformOf(entry.platform) : undefined;
    const path = ["accounts", account, "access", "allow"] as const;
    for (const [index, one] of entriesOf(access.allow).entries())
      for (const userId of platform === undefined ? [] : ownersOn(platform, [one])) {
        const { line } = source.placeOf([...path, index], "value");
        found.push({ userId, role: "member", account, platform: platform as Platform, key: path.join("."), line });
      }
  }
  return found;
}

function entriesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((entry) => (typeof entry === "string" ? entry : "")) : [];
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
