import assert from "node:assert/strict";
import { it } from "node:test";
import { addressParameters, callAddresses } from "./call-addresses.ts";
import { plainSchema } from "./plain-schema.ts";

const urls = (input: unknown, parameters: readonly string[] = []) =>
  callAddresses(input, parameters).map(({ url }) => url);

it("is a parameter that is called so or has the format, also where it may be left out", () => {
  const text = { type: "string" };
  const nullable = { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] };
  const properties = {
    ...{ url: text, image_urls: { type: "array", items: text }, baseURI: text, query: text, natural: text },
    ...{ page: { type: "string", format: "uri" }, source: nullable },
  };
  assert.deepEqual(addressParameters(plainSchema({ type: "object", properties })), [
    ...["url", "image_urls", "baseURI", "page", "source"],
  ]);
  assert.deepEqual(addressParameters(plainSchema({ type: "object" })), []);
});

it("is every address that a call names, as its server would read it", () => {
  const nested = {
    url: "https://a.example/x",
    items: [{ pageUrl: "//c.example" }],
    options: { urls: ["d.example?q=1"] },
  };
  assert.deepEqual(urls(nested), ["https://a.example/x", "https://c.example", "https://d.example?q=1"]);
  assert.deepEqual(urls({ page: "www.a.example/b", query: "https://b.example" }, ["page"]), [
    "https://www.a.example/b",
  ]);
  assert.deepEqual(urls({ url: " HTTP:/a.example " }), ["HTTP:/a.example"]);
  assert.deepEqual(urls({ url: "localhost:8080/x", uri: "10.0.0.1" }), [
    "https://localhost:8080/x",
    "https://10.0.0.1",
  ]);
});

it("is none that leads nowhere else, and nothing that is no address", () => {
  for (const url of ["memo://notes/1", "file:///etc/passwd", "mailto:a@b.example", "notes.", "a b.c", "", 5, null])
    assert.deepEqual(urls({ url }), [], String(url));
  for (const input of [undefined, null, "https://a.example", []]) assert.deepEqual(urls(input), []);
  const deep = JSON.parse(`${'{"url":['.repeat(500)}"https://a.example"${"]}".repeat(500)}`) as unknown;
  assert.deepEqual(urls(deep), []);
});

it("counts those beyond fifty as one that nobody has read", () => {
  const many = Array.from({ length: 5_000 }, (_, n) => `https://a.example/${n}`);
  const found = callAddresses({ urls: many }, []);
  assert.equal(found.length, 51);
  assert.deepEqual(found.at(-1), { url: "https://a.example/50", isKnown: false });
});
