import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { createTestStore, type TestStore } from "../test-store.ts";
import { tokenDigest } from "./mcp-tokens.ts";

describe("tokens of callers over HTTP", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("are found by their digest until they are revoked, and by no other", async () => {
    const { mcpTokens } = test.store;
    const digest = tokenDigest("first");
    await mcpTokens.make("editor", "member", digest);
    const found = await mcpTokens.find(digest);
    assert.deepEqual([found?.name, found?.role, found?.heard, found?.usedAt], ["editor", "member", [], undefined]);
    assert.equal(await mcpTokens.find(tokenDigest("other")), undefined);
    assert.deepEqual(await mcpTokens.living([digest, tokenDigest("other")]), [digest]);
    assert.deepEqual([await mcpTokens.revoke("editor"), await mcpTokens.revoke("editor")], [true, false]);
    assert.equal(await mcpTokens.find(digest), undefined);
    assert.deepEqual(await mcpTokens.living([digest]), []);
  });

  it("have each name once, say when they were used, and know what was heard", async () => {
    const { mcpTokens } = test.store;
    const digest = tokenDigest("second");
    await mcpTokens.make("desk", "guest", digest);
    await assert.rejects(mcpTokens.make("desk", "owner", tokenDigest("third")), (error) =>
      isGatewayError(error, "invalid_request"),
    );
    assert.equal(await mcpTokens.find(tokenDigest("third")), undefined);
    await mcpTokens.used(digest);
    for (const tool of ["web_fetch", "read_mail", "web_fetch"]) await mcpTokens.heard(digest, tool);
    const [token] = await mcpTokens.list();
    assert.deepEqual([token?.name, token?.role, token?.heard], ["desk", "guest", ["web_fetch", "read_mail"]]);
    assert.ok(token?.usedAt !== undefined && token.usedAt >= token.madeAt);
  });

  it("have files of their own, which a later token of the same name has not", async () => {
    const { mcpTokens } = test.store;
    const workspaceOf = async (token: string) => (await mcpTokens.find(tokenDigest(token)))?.workspace;
    await mcpTokens.make("again", "owner", tokenDigest("again-1"));
    const before = await workspaceOf("again-1");
    assert.equal(await workspaceOf("again-1"), before);
    await mcpTokens.revoke("again");
    await mcpTokens.make("again", "member", tokenDigest("again-2"));
    assert.match(before ?? "", /^mcp-http\/again\/[0-9a-f]{16}$/);
    assert.notEqual(await workspaceOf("again-2"), before);
  });

  it("are kept as digests alone", async () => {
    const { mcpTokens } = test.store;
    await mcpTokens.make("canary", "guest", tokenDigest("canary-token"));
    assert.ok(!JSON.stringify(await mcpTokens.list()).includes("canary-token"));
  });

  it("are a hundred at most", async () => {
    const { mcpTokens } = test.store;
    for (let made = (await mcpTokens.list()).length; made < 100; made += 1)
      await mcpTokens.make(`many-${made}`, "guest", tokenDigest(`many-${made}`));
    await assert.rejects(mcpTokens.make("one-more", "guest", tokenDigest("one-more")), /there are 100 tokens already/);
  });
});
