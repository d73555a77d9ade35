import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountPolicy,
  brandAs,
  isAtLeast,
  type Role,
  type Sender,
  type UserId,
  weakestOf,
} from "@talaria/protocol";
import { readRole, roleOf } from "./role.ts";
import { policyWith } from "./testing/policy.ts";

const users = (...ids: string[]) => ids.map((id) => brandAs<UserId>(id));

function policy(access: Partial<AccountPolicy["access"]> = {}): AccountPolicy {
  return policyWith({ access: { owners: users("ada"), allow: { users: users("ben"), groups: [] }, ...access } });
}

function sender(id: string, assurance: Sender["assurance"] = "platform"): Sender {
  return { userId: brandAs<UserId>(id), role: "person", displayName: "Ada", assurance };
}

describe("the role of a sender", () => {
  const rows: readonly (readonly [string, Sender, Partial<AccountPolicy["access"]>, boolean, Role])[] = [
    ["an owner", sender("ada"), {}, false, "owner"],
    [
      "an owner who is on the allow list too",
      sender("ada"),
      { allow: { users: users("ada"), groups: [] } },
      false,
      "owner",
    ],
    ["a person on the allow list", sender("ben"), {}, false, "member"],
    ["a person who was paired", sender("eve"), {}, true, "member"],
    ["a person on no list", sender("eve"), {}, false, "guest"],
    ["a pairing where a list decides", sender("eve"), { direct: "allowlist" }, true, "guest"],
    ["a pairing where everybody may write", sender("eve"), { direct: "open" }, true, "guest"],
    ["an id that contains an owner's", sender("ada2"), {}, false, "guest"],
    ["an owner's id in other letters", sender("ADA"), {}, false, "guest"],
    ["an owner's id that is only claimed", sender("ada", "claimed"), {}, true, "unverified"],
    ["a signed owner", sender("ada", "signed"), {}, false, "owner"],
    ["whoever has proven a token", sender("eve"), { proven: "owner" }, false, "owner"],
    ["a claim where tokens are proven", sender("eve", "claimed"), { proven: "owner" }, false, "unverified"],
  ];
  for (const [name, who, access, isApproved, role] of rows)
    it(`is ${role} for ${name}`, () => assert.equal(roleOf(who, policy(access), isApproved), role));

  it("is looked up only where pairing decides", async () => {
    let asked = 0;
    const approved = async () => {
      asked += 1;
      return true;
    };
    assert.equal(await readRole(sender("ada"), policy(), approved), "owner");
    assert.equal(await readRole(sender("ben"), policy(), approved), "member");
    assert.equal(await readRole(sender("eve", "claimed"), policy(), approved), "unverified");
    assert.equal(await readRole(sender("eve"), policy({ direct: "allowlist" }), approved), "guest");
    assert.equal(asked, 0);
    assert.equal(await readRole(sender("eve"), policy(), approved), "member");
    assert.equal(asked, 1);
  });
});

describe("roles", () => {
  it("are ordered by their rights", () => {
    assert.ok(isAtLeast("owner", "member") && isAtLeast("member", "member") && isAtLeast("guest", "unverified"));
    assert.ok(!isAtLeast("guest", "member") && !isAtLeast("unverified", "guest") && !isAtLeast("member", "owner"));
  });

  it("of a turn are those of the weakest requester", () => {
    assert.equal(weakestOf(["owner", "guest", "member"]), "guest");
    assert.equal(weakestOf(["owner", "unverified"]), "unverified");
    assert.equal(weakestOf([]), undefined);
  });
});
