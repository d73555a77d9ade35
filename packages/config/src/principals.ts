import { brandAs, type ConversationId, type Platform, type UserId } from "@talaria/protocol";

export interface Principals {
  readonly users: readonly UserId[];
  readonly groups: readonly ConversationId[];
}

interface IdForm {
  readonly user: RegExp;
  readonly group: RegExp;
  /** Completes "for example". */
  readonly example: string;
}

const anyId: IdForm = { user: /^\S+$/, group: /^\S+$/, example: "an id without spaces" };

/** What an id that cannot be renamed or handed on looks like. Anything else in a list could one day name a stranger. */
const idForms: Readonly<Record<Platform, IdForm>> = {
  telegram: {
    user: /^[1-9]\d*$/,
    group: /^-[1-9]\d*$/,
    example: "telegram:user:123456, telegram:group:-1001234567890",
  },
  discord: { user: /^\d+$/, group: /^\d+$/, example: "discord:user:80351110224678912" },
  slack: { user: /^[UW][A-Z0-9]+$/, group: /^[CGD][A-Z0-9]+$/, example: "slack:user:U024BE7LH, slack:group:C024BE91L" },
  whatsapp: {
    user: /^(\d+(@(s\.whatsapp\.net|lid))?|[A-Z]{2}\.\w+)$/,
    group: /^[\d-]+@g\.us$/,
    example: "whatsapp:user:491701234567, whatsapp:group:120363041234567890@g.us",
  },
  matrix: {
    user: /^@[^\s:]+:\S+$/,
    group: /^!\S+$/,
    example: "matrix:user:@ada:example.org, matrix:group:!abc:example.org",
  },
  email: { user: /^[^\s@]+@[^\s@]+$/, group: /^[^\s@]+@[^\s@]+$/, example: "email:user:ada@example.org" },
  webhook: anyId,
  web: anyId,
  api: anyId,
  loopback: anyId,
};

/**
 * Reads the ids of `access.allow`. `complain` is told the index and the fault of each entry that is refused. `*` says
 * nothing new when access is open, and is refused otherwise.
 */
export function parsePrincipals(
  entries: readonly string[],
  platform: Platform,
  isOpen: boolean,
  complain: (index: number, message: string) => void,
): Principals {
  const users: UserId[] = [];
  const groups: ConversationId[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry === "*" && isOpen) continue;
    const fault = faultOf(entry, platform);
    if (fault !== undefined) {
      complain(index, fault);
      continue;
    }
    const { kind, id } = split(entry);
    if (kind === "user") users.push(brandAs<UserId>(id));
    else groups.push(brandAs<ConversationId>(id));
  }
  return { users, groups };
}

function faultOf(entry: string, platform: Platform): string | undefined {
  if (entry.trim() === "") return "an empty entry allows nobody: remove it";
  if (entry === "*") return '"*" is not an id: set access to `open` to let everybody in';
  const { prefix, kind, id } = split(entry);
  const form = idForms[platform];
  if (kind !== "user" && kind !== "group")
    return `names can be taken over by somebody else: use ids, for example ${form.example}`;
  if (prefix !== platform) return `belongs to ${prefix || "no platform"}, this account is on ${platform}`;
  if (!form[kind].test(id)) return `this is not the id of a ${kind} on ${platform}: for example ${form.example}`;
  return undefined;
}

function split(entry: string): { prefix: string; kind: string | undefined; id: string } {
  const [prefix = "", kind, ...rest] = entry.split(":");
  return { prefix, kind, id: rest.join(":") };
}
