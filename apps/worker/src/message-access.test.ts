import assert from "node:assert/strict";
import { it } from "node:test";
import { type Asker, brandAs, type Conversation } from "@talaria/protocol";
import type { PlaceSearch } from "@talaria/store";
import { createMessageAccess } from "./message-access.ts";

const conversation: Conversation = {
  accountId: brandAs("main"),
  platform: "telegram",
  conversationId: brandAs("1"),
  kind: "direct",
};

function asker(id: string, role: Asker["role"], assurance: Asker["sender"]["assurance"] = "platform"): Asker {
  return { role, sender: { userId: brandAs(id), role: "person", displayName: id, assurance } };
}

async function searchBy(...askers: readonly Asker[]): Promise<PlaceSearch | undefined> {
  const searches: PlaceSearch[] = [];
  const places = async (search: PlaceSearch) => {
    searches.push(search);
    return [];
  };
  const unused = async () => assert.fail("nothing is said");
  const access = createMessageAccess({ operations: { places }, say: unused, deliver: () => undefined, conversation });
  await access.find({ address: "telegram:group:-1:x", askers, limit: 3 });
  return searches[0];
}

it("looks where all who ask take part, and everywhere for owners", async () => {
  const about = { platform: "telegram", groupId: "-1:x", limit: 3 };
  assert.deepEqual(await searchBy(asker("1", "owner")), { ...about, participants: [] });
  const participants = [
    { accountId: "main", userId: "2" },
    { accountId: "main", userId: "3" },
  ];
  const all = [asker("1", "owner"), asker("2", "member"), asker("3", "member")];
  assert.deepEqual(await searchBy(...all), { ...about, participants });
});

it("looks nowhere for guests, for whoever only claims to be somebody, and for nobody", async () => {
  assert.equal(await searchBy(asker("1", "owner"), asker("2", "guest")), undefined);
  assert.equal(await searchBy(asker("1", "owner", "claimed")), undefined);
  assert.equal(await searchBy(), undefined);
});
