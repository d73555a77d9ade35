import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type SessionKey, type UserId } from "@talaria/protocol";
import { accountId, conversationOf, createTestStore, eventOf } from "../test-store.ts";

it("the home of somebody who is no owner for a while is theirs again, and nobody is told there meanwhile", async () => {
  await using test = await createTestStore();
  const { calls, inbox } = test.store;
  const setHome = async (name: string) => {
    const userId = brandAs<UserId>(name);
    const effect = {
      kind: "home",
      sessionKey: brandAs<SessionKey>(name),
      userId,
      conversation: conversationOf(name),
    } as const;
    await inbox.settle({ event: eventOf(`at-home-${name}`, name), outcome: "command", reason: "sethome", effect });
    return { userId, conversation: conversationOf(name) };
  };
  const told = async () => (await calls.ownersPlaces()).map(({ userId }) => userId);
  const home = await setHome("ada");
  const other = { userId: brandAs<UserId>("bob"), conversation: conversationOf("bob") };
  await calls.noteOwnerPlace(other);
  assert.deepEqual(await told(), ["ada"]);

  await calls.restHome(home);
  assert.deepEqual([await told(), await calls.homes()], [["bob"], []], "as if there was none");
  assert.deepEqual(
    (await calls.restingHomes()).map(({ userId, conversation }) => [userId, conversation.accountId]),
    [["ada", accountId]],
  );
  await calls.wakeHome(home);
  assert.deepEqual([await told(), (await calls.homes()).length, await calls.restingHomes()], [["ada"], 1, []]);
});
