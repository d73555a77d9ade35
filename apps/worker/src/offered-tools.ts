import type { Tool } from "@talaria/agent";
import { isOpened, type Place, type PolicySettings, policyTable } from "@talaria/policy";
import { isAtLeast, type Role } from "@talaria/protocol";
import { targetsOf } from "./authorise.ts";
import { commandReach } from "./command-reach.ts";

/** What is known of a tool before it is called. */
export type KnownOfTool = Pick<Tool, "name" | "effect" | "permissions" | "targets" | "describedBy" | "isForeign">;

export interface OfferSettings {
  readonly policy: PolicySettings;
  readonly sandbox: Parameters<typeof commandReach>[0];
}

/** Who asks for tools, and where. */
export interface Asking {
  readonly place: Place;
  /** Of the weakest of them. */
  readonly role: Role;
}

/** Which tools of MCP servers and of the operator's own files are offered. */
export interface OfferedTools {
  /** Whether anybody of this role may have one. */
  mayHaveAny(role: Role): boolean;
  has(tool: KnownOfTool, asking: Asking): boolean;
}

/**
 * Owners and members have them: in a direct conversation all, elsewhere those that only look. Further ones, and those of guests, are
 * what the operator's rules allow, or ask about, by saying for whom and where.
 */
export function createOfferedTools({ policy, sandbox }: OfferSettings): OfferedTools {
  const table = policyTable(policy);
  const commands = commandReach(sandbox);
  const isForGuests = table.rules.some(({ decision, role }) => decision !== "deny" && role === "guest");
  return {
    mayHaveAny: (role) => isAtLeast(role, "member") || (isForGuests && isAtLeast(role, "guest")),
    has: (tool, { place, role }) => {
      if (isAtLeast(role, "member") && (place === "direct" || tool.effect === "read")) return true;
      if (!isAtLeast(role, "guest")) return false;
      const { name, effect, permissions } = tool;
      const targets = targetsOf(withKnownTargets(tool), {}, commands === undefined ? {} : { commands });
      return isOpened({ tool: name, effect, permissions, targets, place, role }, table);
    },
  };
}

/** Where the calls of a server's tool go is known before there is one. What an own tool's calls touch is not. */
function withKnownTargets(tool: KnownOfTool): KnownOfTool {
  if (tool.describedBy !== undefined) return tool;
  const { targets: _, ...known } = tool;
  return known;
}
