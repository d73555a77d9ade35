import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { leadsInside } from "./leads-inside.ts";

it("a host that this machine itself knows to lead inside is known without asking anybody", async (test) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-hosts-"));
  test.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "hosts");
  const lines = [
    "# 10.0.0.9 comment.example.org",
    "127.0.1.1\tme.example.org Me # and not.example.org",
    "  10.1.2.3 git.example.org wiki.example.org\r",
    "8.8.8.8 public.example.org",
    "nonsense odd.example.org",
  ];
  await writeFile(file, lines.join("\n"));
  const inside = ["me.example.org", "me", "GIT.example.org", "wiki.example.org", "localhost", "x.localhost"];
  for (const host of [...inside, "127.0.0.1", "[::1]", "192.168.0.1"])
    assert.equal(await leadsInside(host, file), true, host);
  const outside = ["comment.example.org", "not.example.org", "public.example.org", "odd.example.org", "example.org"];
  for (const host of [...outside, "8.8.8.8", ""]) assert.equal(await leadsInside(host, file), false, host);
  assert.equal(await leadsInside("me.example.org", join(folder, "none")), false);
});
