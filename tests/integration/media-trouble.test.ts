import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { picture } from "../support/picture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

describe("files, when something goes wrong", () => {
  let world: World;

  before(async () => {
    world = await startWorld({
      config: (telegram) => `
media: { quotaBytes: 1048576 }
leases: { accountMs: 2000, sessionMs: 2000 }
accounts:
  telegram:
    platform: telegram
    token: "${telegram.bots[0]?.token}"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
`,
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  it("fetches a picture whose gateway was killed while it did", async () => {
    const ada = world.telegram.user({ first_name: "Ada" });
    const chat = world.telegram.privateChat(ada);
    const bytes = picture();
    world.telegram.fail("download", { kind: "hang", effect: "none" });
    chat.sendPhoto(ada, bytes, "survive this");
    await waitFor(() => world.telegram.calls.count("getFile") > 0, "a download");
    const gateway = (await world.talaria.processes()).find(({ kind }) => kind === "gateway");
    assert.ok(gateway);
    process.kill(gateway.pid, "SIGKILL");
    const request = await world.model.waitForRequest(
      ({ lastUserText }) => lastUserText.includes("survive this"),
      40_000,
    );
    assert.ok(bytes.equals(request.images[0] ?? Buffer.alloc(0)), request.lastUserText);
    await chat.waitForBotMessage("survive this");
    assert.equal(world.model.requests.filter(({ lastUserText }) => lastUserText.includes("survive this")).length, 1);
  });

  it("tries again when the platform stumbles", async () => {
    const ada = world.telegram.user({ first_name: "Ada" });
    const chat = world.telegram.privateChat(ada);
    const bytes = picture();
    world.telegram.fail("getFile", { kind: "answer", code: 429, retryAfter: 1, effect: "none" });
    world.telegram.fail("download", { kind: "drop", effect: "none" });
    chat.sendPhoto(ada, bytes, "stumble over this");
    const request = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("stumble over"));
    assert.ok(bytes.equals(request.images[0] ?? Buffer.alloc(0)), request.lastUserText);
  });

  it("says that there is no room left when the store is full", async () => {
    const [ada, grace] = ["Ada", "Grace"].map((first_name) => world.telegram.user({ first_name }));
    assert.ok(ada && grace);
    const chat = world.telegram.privateChat(ada);
    chat.sendDocument(ada, { bytes: randomBytes(700_000), name: "one.bin" }, "the first file");
    const first = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("the first file"));
    assert.doesNotMatch(first.lastUserText, /problem=/);
    world.telegram
      .privateChat(grace)
      .sendDocument(grace, { bytes: randomBytes(700_000), name: "two.bin" }, "the second file");
    const second = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("the second file"));
    assert.match(second.lastUserText, /name="two\.bin" [^\n]*problem="there is no room left for files/);
    chat.sendDocument(ada, { bytes: Buffer.from("one more"), name: "three.bin" }, "the third file");
    const third = await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("the third file"));
    assert.match(third.lastUserText, /name="three\.bin" [^\n]*problem="its sender has sent too much within an hour"/);
  });
});
