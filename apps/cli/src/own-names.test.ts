import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { it } from "node:test";
import { ownNames } from "./own-names.ts";

const addresses: Readonly<Record<string, string>> = {
  "here.example.org": "127.0.1.1",
  "six.example.org": "::1",
  "inner.example.org": "10.99.98.97",
  "public.example.org": "9.9.9.9",
};
const resolve = async (name: string) => {
  const address = addresses[name];
  if (address === undefined) throw new Error("ENOTFOUND");
  return [{ address }];
};
const { signal } = new AbortController();

it("names of this machine are named with what to do, also with a port, each once", async () => {
  const said = await ownNames(
    ["here.example.org", "here.example.org:8080", "six.example.org", "inner.example.org", "public.example.org:443"],
    signal,
    resolve,
  );
  assert.deepEqual(
    said.map((line) =>
      /^sandbox\.network: (\S+) leads to this machine \((\S+)\), .*: take it out/.exec(line)?.slice(1),
    ),
    [
      ["here.example.org", "127.0.1.1"],
      ["six.example.org", "::1"],
    ],
  );
});

it("an address of any interface is this machine", async () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  for (const address of own)
    assert.equal((await ownNames(["a.example.org"], signal, async () => [{ address }])).length, 1, address);
});

it("patterns, groups and names that nobody knows are passed by, and a resolver that hangs is not waited for", async () => {
  const asked: string[] = [];
  const noting = async (name: string) => {
    asked.push(name);
    return await resolve(name);
  };
  assert.deepEqual(await ownNames(["*.example.org", "localhost", "unknown.example.org"], signal, noting), []);
  assert.deepEqual(asked, ["unknown.example.org"]);
  const hanging = () => new Promise<never>(() => undefined);
  assert.deepEqual(await ownNames(["a.example.org"], AbortSignal.abort(), hanging), []);
});
