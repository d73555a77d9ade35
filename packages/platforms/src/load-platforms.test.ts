import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hintOf, loadPlatform, loadPlatforms, ownPlatforms, platformNames } from "./load-platforms.ts";

describe("the registry", () => {
  it("has a module under the name of each of its lines, and no other", async () => {
    const modules = await loadPlatforms([...platformNames, "web", "webhook", "toString", "", "telegram"]);
    assert.deepEqual([...modules.keys()], platformNames);
    for (const [name, load] of Object.entries(ownPlatforms)) assert.equal((await load()).name, name);
  });

  it("tells two people apart from a group where ids do", async () => {
    const isDirect = async (platform: string, id: string) => (await loadPlatform(platform))?.isDirect(id);
    assert.deepEqual(
      await Promise.all([
        isDirect("telegram", "123456"),
        isDirect("telegram", "-1001234567890"),
        isDirect("slack", "D024BE91L"),
        isDirect("slack", "C024BE91L"),
        isDirect("whatsapp", "491701234567"),
        isDirect("whatsapp", "120363041234567890@g.us"),
        isDirect("email", "ada@example.org"),
        isDirect("discord", "80351110224678912"),
        isDirect("matrix", "!abc:example.org"),
      ]),
      [true, false, true, false, true, false, true, false, false],
    );
  });

  it("takes the id of somebody on WhatsApp who hides their number", async () => {
    assert.match("DE.1349120865530", (await loadPlatform("whatsapp"))?.ids.user ?? /^$/);
  });

  it("has a hint for every platform, and none for one that was removed", async () => {
    for (const name of [...platformNames, "web", "webhook"] as const) assert.ok(await hintOf(name), name);
    assert.equal(await hintOf("pigeon-post"), undefined);
  });

  it("refuses settings that the platform's schema refuses, before there is an adapter", async () => {
    const create = await (await loadPlatform("telegram"))?.load();
    assert.throws(() => create?.({ token: "a b" }, {} as never), /not a bot token/);
  });
});
