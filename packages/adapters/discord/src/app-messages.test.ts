import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkEvent, messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

const embed = {
  title: "Build 7 failed",
  url: "https://ci.example/7",
  author: { name: "CI" },
  description: "on **main**",
  fields: [{ name: "Host", value: "web-1", inline: true }, { name: "odd" }, 5],
  footer: { text: "3 min" },
};

const components = [
  {
    type: 17,
    components: [
      { type: 10, content: "# Deployed" },
      { type: 14 },
      { type: 9, components: [{ type: 10, content: "version 2" }], accessory: { type: 11, description: "a logo" } },
      { type: 12, items: [{ description: "a chart", media: { url: "https://x.example" } }] },
      { type: 1, components: [{ type: 2, style: 5, label: "Open", url: "https://x.example" }] },
    ],
  },
];

/** What comes of a message of a webhook, or of Ada, with these fields. */
async function posted(fields: object, isApp = true) {
  await using world = await openWorld();
  const { server, host, channel, guild, ada } = world;
  const app = { webhook_id: "77", author: { id: "77", username: "CI", bot: true } };
  const base = { id: "900000000000000001", channel_id: channel.id, guild_id: guild.id, type: 0, content: "" };
  server.gateway.raw("MESSAGE_CREATE", { ...base, author: ada, ...(isApp ? app : {}), ...fields });
  channel.say(ada, "that is all");
  await host.until(() => host.events.some((event) => messageOf(event).markdown === "that is all"), "all came");
  const [event, ...more] = host.events;
  if (event === undefined || more.length === 0) return undefined;
  checkEvent(event);
  return messageOf(event);
}

const embedWords = "[Build 7 failed](https://ci.example/7)\nCI\non **main**\nHost: web-1\nodd\n3 min";
const componentWords = "# Deployed\nversion 2\na logo\na chart";

describe("a message of an app on Discord", () => {
  it("has the words of its embeds where it has no others", async () => {
    assert.equal((await posted({ embeds: [embed] }))?.markdown, embedWords);
    assert.equal((await posted({ embeds: [embed], content: "look" }))?.markdown, "look");
  });

  it("has the words of its components", async () => {
    assert.equal((await posted({ components, flags: 1 << 15 }))?.markdown, componentWords);
  });

  it("is quoted with those words by who answers it", async () => {
    const message_reference = { message_id: "5" };
    const author = { id: "77", username: "CI", bot: true };
    const referenced_message = { id: "5", author, content: "", embeds: [embed] };
    const reply = { type: 19, content: "what does this mean?", message_reference, referenced_message };
    assert.equal((await posted(reply, false))?.quote?.markdown, embedWords);
    const beside = { ...reply, referenced_message: { ...referenced_message, content: "see" } };
    assert.equal((await posted(beside, false))?.quote?.markdown, "see");
  });

  it("is forwarded with those words", async () => {
    const forward = {
      message_reference: { type: 1, message_id: "5" },
      message_snapshots: [{ message: { embeds: [embed] } }],
    };
    assert.equal((await posted(forward, false))?.markdown, `[forwarded] ${embedWords}`);
  });

  it("is another matter than what Discord shows beside a person's words", async () => {
    assert.equal(await posted({ embeds: [embed] }, false), undefined);
    assert.equal(await posted({ components }, false), undefined);
  });

  it("is bounded in length, depth and number", async () => {
    let deep: object = { type: 10, content: "deep" };
    for (let level = 0; level < 200; level += 1) deep = { type: 17, components: [deep] };
    const many = Array.from({ length: 5_000 }, () => ({ type: 10, content: "x".repeat(4_000) }));
    const message = await posted({ components: [{ type: 10, content: "first" }, deep, ...many, null] });
    assert.match(message?.markdown ?? "", /^first/);
    assert.ok((message?.markdown.length ?? 0) <= 10_000);
    const embeds = Array.from({ length: 500 }, () => ({ description: "x".repeat(4_096) }));
    assert.ok(((await posted({ embeds }))?.markdown.length ?? 0) <= 10_000);
  });
});
