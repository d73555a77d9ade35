import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";

interface TokenModule {
  takeToken(): string | undefined;
  keepToken(token: string): void;
  replaceToken(): boolean;
}

/** What a browser has and Node.js has not. */
const page = globalThis as unknown as Record<string, unknown>;

describe("the token of the console", () => {
  const stored = new Map<string, string>();
  const address = { hash: "", pathname: "/console/" };
  let token: TokenModule;

  beforeEach(async () => {
    stored.clear();
    page.location = address;
    page.history = {
      replaceState: (_state: null, _title: string, url: string) => {
        address.hash = url.slice(url.indexOf("#"));
      },
    };
    page.localStorage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    };
    // A module of its own for each test, as for each page.
    token = (await import(`./public/token.js?${crypto.randomUUID()}`)) as TokenModule;
  });
  afterEach(() => {
    for (const name of ["location", "history", "localStorage"]) delete page[name];
  });

  function visit(hash: string): string | undefined {
    address.hash = hash;
    return token.takeToken();
  }

  it("is taken from a link at the first visit, and out of the address", () => {
    assert.equal(visit("#conversation=a&token=first"), "first");
    assert.equal(address.hash, "#conversation=a");
    assert.equal(visit("#conversation=a"), "first");
  });

  it("is not replaced by a link as long as the gateway knows it", () => {
    visit("#token=mine");
    assert.equal(visit("#token=of-somebody-else"), "mine");
    assert.equal(address.hash, "#");
  });

  it("is replaced by a link's when the gateway refuses it, once", () => {
    visit("#token=old");
    visit("#token=new");
    assert.equal(token.replaceToken(), true);
    assert.equal(visit("#"), "new");
    assert.equal(token.replaceToken(), false);
    assert.equal(visit("#"), undefined);
  });
});
