import assert from "node:assert/strict";
import { it } from "node:test";
import { checkConfig } from "@talaria/config";
import { lostAccounts } from "./lost-accounts.ts";

it("a file without any account is not what somebody wants who has some", () => {
  const checked = (text: string) => checkConfig(text, { file: "config.yaml", env: {} });
  const running = checked("accounts: { main: { platform: telegram, token: abc } }");
  assert.equal(
    lostAccounts("config.yaml", checked("agent: { name: Half }"), running),
    "config.yaml has no accounts, and main runs: write what is missing, or `talaria restart` to go on without",
  );
  const off = checked("accounts: { main: { platform: telegram, enabled: false } }");
  const other = checked("accounts: { other: { platform: discord, token: abc } }");
  for (const changed of [off, other, running, checked("agent: [")])
    assert.equal(lostAccounts("config.yaml", changed, running), undefined);
  assert.equal(lostAccounts("config.yaml", checked(""), checked("")), undefined);
});
