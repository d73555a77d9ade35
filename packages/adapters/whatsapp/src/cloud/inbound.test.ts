import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { openCloudWorld } from "../testing/cloud-world.ts";

const image = { id: "1003383421387256", mime_type: "image/jpeg" };

/** The events that these messages of Ada become, in order. */
async function eventsOf(...messages: readonly Readonly<Record<string, unknown>>[]) {
  const { events } = await outcomeOf(...messages);
  return events;
}

/** The same with the kinds of what could not be read. */
async function outcomeOf(...messages: readonly Readonly<Record<string, unknown>>[]) {
  const unreadable: string[] = [];
  await using world = await openCloudWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
  for (const one of messages) {
    world.ada.raw(one);
    await world.host.until(() => world.server.waiting === 0, "the notification is taken");
  }
  return { events: world.host.events, unreadable };
}

async function messageOf(message: Readonly<Record<string, unknown>>) {
  const [event] = await eventsOf(message);
  assert.ok(event?.type === "message.created" || event?.type === "message.edited", event?.type);
  return event.message;
}

describe("what people change afterwards", () => {
  it("takes an edit as the new wording of the first message, not as a message of its own", async () => {
    const text = { body: "the blue one" };
    const edit = {
      original_message_id: "wamid.first",
      message: { type: "text", text, context: { id: "wamid.quoted" } },
    };
    const [event] = await eventsOf({ id: "wamid.edit", type: "edit", edit });
    assert.equal(event?.type, "message.edited");
    assert.equal(event.id, "wamid.edit");
    assert.equal(event.message.messageId, "wamid.first");
    assert.equal(event.message.markdown, "the blue one");
    assert.equal(event.message.replyTo, "wamid.quoted");
  });

  it("takes an edited caption together with its file", async () => {
    const message = { type: "image", image: { ...image, caption: "my cat", url: "https://example.org/x" } };
    const changed = await messageOf({ type: "edit", edit: { original_message_id: "wamid.first", message } });
    assert.equal(changed.markdown, "my cat");
    assert.deepEqual(changed.attachments, [{ kind: "image", mimeType: "image/jpeg", ref: "1003383421387256" }]);
  });

  it("takes a revoked message as deleted", async () => {
    const [event] = await eventsOf({ type: "revoke", revoke: { original_message_id: "wamid.first" } });
    assert.equal(event?.type, "message.deleted");
    assert.equal(event.messageId, "wamid.first");
  });

  for (const [name, message] of [
    ["an edit without its parts", { type: "edit" }],
    ["an edit that names no message", { type: "edit", edit: { message: { type: "text", text: { body: "x" } } } }],
    ["an edit without the new wording", { type: "edit", edit: { original_message_id: "wamid.first" } }],
    ["an edit of an edit", { type: "edit", edit: { original_message_id: "wamid.first", message: { type: "edit" } } }],
    ["a deletion that names no message", { type: "revoke", revoke: {} }],
  ] as const)
    it(`counts ${name} as unreadable, and makes no turn of it`, async () =>
      assert.deepEqual(await outcomeOf(message), { events: [], unreadable: [message.type] }));

  it("dates an edit by itself, not by the first message", async () => {
    const edit = { original_message_id: "wamid.first", message: { type: "text", text: { body: "x" } } };
    const seconds = Math.floor(Date.now() / 1_000) - 60;
    const [event] = await eventsOf({ type: "edit", edit, timestamp: String(seconds) });
    assert.equal(event?.occurredAt, instantOf(seconds * 1_000));
  });

  it("quotes the new wording from then on", async () => {
    const edit = { original_message_id: "wamid.first", message: { type: "text", text: { body: "new" } } };
    const [, , answer] = await eventsOf(
      { id: "wamid.first", type: "text", text: { body: "old" } },
      { type: "edit", edit },
      { type: "text", text: { body: "see above" }, context: { id: "wamid.first" } },
    );
    assert.equal(answer?.type === "message.created" && answer.message.quote?.markdown, "new");
  });
});

describe("what a message refers to", () => {
  for (const [name, message, markdown] of [
    [
      "the ad that led here",
      {
        type: "text",
        text: { body: "Is it available?" },
        referral: {
          source_url: "https://fb.me/3cr4Wqqkv",
          source_type: "ad",
          source_id: "120226305854810726",
          headline: "Chat with us",
          body: "Summer [succulents] are here!",
          media_type: "image",
        },
      },
      "Is it available?\n[came from an ad: Chat with us, Summer succulents are here!, https://fb.me/3cr4Wqqkv]",
    ],
    [
      "the product that is asked about",
      {
        type: "text",
        text: { body: "In red?" },
        context: {
          from: "15550783881",
          id: "wamid.list",
          referred_product: { catalog_id: "194836987003835", product_retailer_id: "di9ozbzfi4" },
        },
      },
      "In red?\n[about the product di9ozbzfi4 of catalog 194836987003835]",
    ],
    [
      "that it was forwarded",
      { type: "text", text: { body: "Breaking news" }, context: { forwarded: true } },
      "Breaking news\n[forwarded]",
    ],
    [
      "that it was forwarded often",
      { type: "image", image, context: { frequently_forwarded: true } },
      "[forwarded many times]",
    ],
    [
      "a command, which takes no notes as its arguments",
      { type: "text", text: { body: "/new" }, context: { forwarded: true } },
      "/new",
    ],
    [
      "the items of an order",
      {
        type: "order",
        order: {
          catalog_id: "194836987003835",
          text: "Please wrap it",
          product_items: [
            { product_retailer_id: "di9ozbzfi4", quantity: 2, item_price: 30, currency: "USD" },
            { product_retailer_id: "nqryix03ez", quantity: 1, item_price: 25.5, currency: "USD" },
          ],
        },
      },
      "[order: Please wrap it, 2 x di9ozbzfi4 at 30 USD, 1 x nqryix03ez at 25.5 USD]",
    ],
    [
      "the answers of a form, without the token that only the business knows",
      {
        type: "interactive",
        interactive: {
          type: "nfm_reply",
          nfm_reply: {
            name: "flow",
            body: "Sent",
            response_json: JSON.stringify({
              flow_token: "secret",
              name: "Ada\nLovelace",
              topics: ["roses", "figs"],
              extra: { a: 1 },
              empty: "",
            }),
          },
        },
      },
      '[form: name: Ada Lovelace, topics: "roses","figs", extra: {"a":1}]',
    ],
    [
      "a form whose answers are not JSON, by its visible words",
      { type: "interactive", interactive: { type: "nfm_reply", nfm_reply: { body: "Sent", response_json: "{" } } },
      "[form: Sent]",
    ],
    [
      "what kind of message WhatsApp keeps to itself",
      { type: "unsupported", errors: [{ code: 131051 }], unsupported: { type: "poll_creation" } },
      "[a message of the type poll_creation that WhatsApp does not pass on]",
    ],
  ] as const)
    it(`tells ${name}`, async () => assert.equal((await messageOf(message)).markdown, markdown));

  it("bounds a long order and a long form", async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ product_retailer_id: `p${n}`, quantity: 1 }));
    const order = await messageOf({ type: "order", order: { product_items: items } });
    assert.match(order.markdown, /1 x p29, and 70 more\]$/);
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, "x".repeat(900)]));
    const interactive = { type: "nfm_reply", nfm_reply: { response_json: JSON.stringify(fields) } };
    const form = await messageOf({ type: "interactive", interactive });
    assert.ok(form.markdown.length < 32_000, `${form.markdown.length}`);
    assert.match(form.markdown, /and 70 more\]$/);
  });

  it("says nothing of an ad without words", async () =>
    assert.equal(
      (await messageOf({ type: "text", text: { body: "hi" }, referral: { ctwa_clid: "x" } })).markdown,
      "hi\n[came from an ad]",
    ));
});

describe("nulls, which are absences", () => {
  it("takes the other id of a sender whose first is null", async () => {
    const [hidden, shown] = await eventsOf(
      { type: "text", text: { body: "a" }, from: null },
      { type: "text", text: { body: "b" }, from_user_id: null, group_id: null, context: null },
    );
    assert.match(hidden?.sender.userId ?? "", /^DE\./);
    assert.match(shown?.sender.userId ?? "", /^\d+$/);
  });

  it("takes a file with nulls beside its id", async () => {
    const nulls = { mime_type: null, caption: null, filename: null, voice: null };
    for (const type of ["image", "audio", "video", "document", "sticker"] as const) {
      const { attachments, markdown } = await messageOf({ type, [type]: { ...image, ...nulls }, referral: null });
      assert.equal(attachments[0]?.ref, image.id, type);
      assert.equal(markdown, "", type);
    }
  });

  it("takes a press on a button and a reaction with nulls", async () => {
    const list_reply = { id: "yes", title: null, description: null };
    const interactive = { type: "list_reply", list_reply, button_reply: null, nfm_reply: null };
    const [pressed, removed] = await eventsOf(
      { type: "interactive", interactive, context: { id: "wamid.ours", from: null, forwarded: null } },
      { type: "reaction", reaction: { message_id: "wamid.ours", emoji: null } },
    );
    assert.equal(pressed?.type === "action.invoked" && pressed.actionId, "yes");
    assert.equal(removed?.type, "reaction.removed");
  });

  it("takes places, people and orders with nulls", async () => {
    const place = { latitude: 52.5, longitude: 13.4, name: null, address: null };
    const person = { name: { formatted_name: "Bob" }, phones: [{ phone: null }], org: null };
    const order = { text: null, product_items: [{ product_retailer_id: "p1", quantity: null, item_price: null }] };
    const events = await eventsOf(
      { type: "location", location: place },
      { type: "contacts", contacts: [person, { name: null, phones: null }] },
      { type: "order", order },
    );
    assert.deepEqual(
      events.map((event) => event.type === "message.created" && event.message.markdown),
      ["[location: 52.5, 13.4]", "[contact: Bob]\n[contact]", "[order: p1]"],
    );
  });
});

describe("what can't be read", () => {
  it("is counted by its kind, and the conversation is told that something came", async () => {
    const { events, unreadable } = await outcomeOf({ type: "image", image: { id: 7 } }, { type: "hologram" });
    assert.deepEqual(unreadable, ["image"]);
    assert.deepEqual(
      events.map((event) => event.type === "message.created" && event.message.markdown),
      ["image", "hologram"].map((type) => `[a message of the type ${type}, which this gateway cannot read]`),
    );
  });

  it("is counted also where nobody can be told", async () => {
    const reaction = { type: "reaction", reaction: { message_id: 7 } };
    const { events, unreadable } = await outcomeOf({ type: "text", from: "../x" }, reaction, { timestamp: "soon" });
    assert.deepEqual(unreadable, ["message", "reaction", "message"]);
    assert.deepEqual(events, []);
  });

  it("is counted where a whole change or a status is odd", async () => {
    const unreadable: string[] = [];
    await using world = await openCloudWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
    const metadata = { phone_number_id: world.server.phoneNumberId };
    const values = [{}, { metadata, messages: {} }, { metadata, statuses: [{ id: "wamid.x", status: "read" }] }];
    const changes = values.map((value) => ({ field: "messages", value }));
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [{ changes }] });
    assert.equal((await world.server.post(body)).status, 200);
    assert.deepEqual(unreadable, ["change", "status"]);
  });
});
