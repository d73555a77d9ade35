import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { filesOf, type MailStage, never, startStage, textOf } from "./testing/stage.ts";
import { attachment, attribute, properties, storedRtf, tnef, unicode } from "./testing/tnef.ts";
import { ada } from "./testing/world.ts";

const rtf = attribute(
  1,
  0x00069003,
  properties({ type: 0x102, id: 0x1009, values: [storedRtf("{\\rtf1 See the \\'93plan\\'94.}")] }),
);
const plan = attachment("PLAN~1.PDF", Buffer.from("%PDF-1"), {
  type: 0x1f,
  id: 0x3707,
  values: [unicode("../The plan.pdf")],
});
const picture = attachment("map.png", Buffer.from("png"));

describe("a winmail.dat", () => {
  let stage: MailStage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage[Symbol.asyncDispose]());

  const send = (text: string, bytes: Buffer, type = "application/ms-tnef") =>
    stage.next(() => void stage.server.say(ada.from, text, { files: [{ name: "winmail.dat", type, bytes }] }));
  const open = async (ref: Parameters<NonNullable<typeof stage.adapter.openMedia>>[0]) =>
    Buffer.from(await new Response(await stage.adapter.openMedia?.(ref, never)).bytes()).toString();

  it("is its files, with their names, types and bytes", async () => {
    for (const type of ["application/ms-tnef", "application/vnd.ms-tnef", "application/octet-stream"]) {
      const files = filesOf(await send("Here it is", tnef(rtf, plan, picture), type));
      assert.deepEqual(
        files.map(({ name, kind, mimeType }) => [name, kind, mimeType]),
        [
          ["_The plan.pdf", "file", "application/pdf"],
          ["map.png", "image", "image/png"],
        ],
      );
      assert.deepEqual(await Promise.all(files.map(({ ref }) => open(ref))), ["%PDF-1", "png"]);
    }
  });

  it("is fetched once for all its files, however many there are", async () => {
    const many = Array.from({ length: 30 }, (_, n) => attachment(`${n}.txt`, Buffer.from(`text ${n}`)));
    const files = filesOf(await send("Here they are", tnef(rtf, ...many)));
    assert.equal(files.length, 30);
    const before = stage.server.fetched.length;
    for (const [n, { ref }] of files.entries()) assert.equal(await open(ref), `text ${n}`);
    const once = stage.server.fetched.length - before;
    assert.equal(await open(files[0]?.ref ?? assert.fail()), "text 0");
    assert.equal(stage.server.fetched.length - before, 2 * once, "nothing is kept once all were opened");
  });

  it("gives its words where the mail has none", async () => {
    const event = await send("", tnef(rtf, plan));
    assert.match(textOf(event), /See the “plan”\./);
    assert.doesNotMatch(textOf(await send("My words", tnef(rtf))), /plan/);
  });

  it("stays a file where it is broken", async () => {
    for (const bytes of [Buffer.from("no TNEF"), tnef(rtf, plan).subarray(0, -20)]) {
      const files = filesOf(await send("Broken", bytes));
      assert.deepEqual(
        files.map(({ name }) => name),
        ["winmail.dat"],
      );
      assert.equal(await open(files[0]?.ref ?? assert.fail()), bytes.toString());
    }
  });

  it("has its words as a file, where they are cut", async () => {
    const quoted =
      "New words\r\n\r\n-----Original Message-----\r\nFrom: Bob Smith <bob@people.test>\r\nSent: Monday, November 2, 2026 10:00 AM\r\nTo: Ada <ada@people.test>\r\nSubject: Plan\r\n\r\n" +
      `${"so it is\r\n".repeat(3_000)}Old words\r\n`;
    const event = await send("", tnef(attribute(1, 0x0002800c, Buffer.from(`${quoted}\0`))));
    assert.match(textOf(event), /New words\n\n-+Original[^[]*\n\n\[earlier messages are cut here/);
    const whole = filesOf(event).find(({ name }) => name === "whole-mail.txt");
    assert.match(await open(whole?.ref ?? assert.fail()), /Old words/);
  });
});
