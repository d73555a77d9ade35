import {
  type Asker,
  brandAs,
  type Derived,
  type Fact,
  type Instant,
  instantOf,
  type Role,
  type UserId,
} from "@talaria/protocol";

export const dayMs = 86_400_000;

export function askerOf(id: string, role: Role): Asker {
  return {
    sender: { userId: brandAs<UserId>(id), role: "person", displayName: id, assurance: "platform" },
    role,
  };
}

export function derivedFrom(...askers: readonly Asker[]): Derived {
  return { taint: [], askers };
}

/** Of Ada, a member, as said on the first day. */
export function factOf(id: string, text: string, more: Partial<Fact> = {}): Fact {
  const at: Instant = instantOf(Date.UTC(2026, 8, 1));
  return {
    ...{ scope: "person", key: "acct/ada", id, text, trust: "said", author: "ada" },
    ...{ derived: derivedFrom(askerOf("ada", "member")), createdAt: at, confirmedAt: at, uses: 0, version: 1 },
    ...more,
  };
}
