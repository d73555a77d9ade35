import assert from "node:assert/strict";
import { it } from "node:test";
import { listedPeople } from "./listed-people.ts";

it("tells who stands in a file, under which key and on which line", () => {
  const text = `# ours
owners:
  - telegram:user:1
  - telegram:group:9
  - nonsense
  - 7
accounts:
  main:
    platform: telegram
    access:
      allow:
        - telegram:user:2   # Bob
        - telegram:group:-100
        - discord:user:3
  flow: { platform: discord, access: { allow: ["discord:user:4", "*"] } }
  off: { platform: discord, access: { allow: none } }
  odd: [1]
`;
  assert.deepEqual(listedPeople(text), [
    { userId: "1", role: "owner", platform: "telegram", key: "owners", line: 3 },
    { userId: "2", role: "member", account: "main", platform: "telegram", key: "accounts.main.access.allow", line: 12 },
    { userId: "4", role: "member", account: "flow", platform: "discord", key: "accounts.flow.access.allow", line: 15 },
  ]);
});

for (const text of ["", "owners:\n", "accounts: []\n", "owners: { a: 1 }\n", "owners: [\n", "- a\n"])
  it(`tells of nobody in ${JSON.stringify(text)}`, () => assert.deepEqual(listedPeople(text), []));
