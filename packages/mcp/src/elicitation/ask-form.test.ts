import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PersonAnswer, PersonQuestion } from "../ports.ts";
import { type Ask, askForm } from "./ask-form.ts";
import { askUrl } from "./ask-url.ts";
import { formFields } from "./form-fields.ts";

const tool = { server: "desk", nameThere: "book" };

type Question = Omit<PersonQuestion, "withinMs">;

/** A person who gives these answers, one after the other. */
function person(...answers: readonly (string | PersonAnswer["status"])[]) {
  const asked: Question[] = [];
  const ask: Ask = async (question) => {
    asked.push(question);
    assert.ok(question.choices.length <= 25 && question.choices.every((one) => one.length <= 80 && one.trim() === one));
    assert.equal(new Set(question.choices).size, question.choices.length);
    const content = answers[asked.length - 1];
    assert.ok(content !== undefined, `nothing to say to ${question.markdown}`);
    if (content === "nobody" || content === "unanswered") return { status: content };
    return { status: "answered", content };
  };
  return { asked, ask };
}

async function filled(properties: object, answers: readonly string[], more: object = {}) {
  const { asked, ask } = person(...answers);
  const fields = formFields({ type: "object", properties, ...more });
  return { asked, end: await askForm(tool, "Where shall it be?", fields, ask) };
}

describe("a form of a server", () => {
  it("is asked field by field, checked, and shown before it is sent", async () => {
    const properties = {
      name: { type: "string", title: "Your name", minLength: 2, maxLength: 20 },
      people: { type: "integer", minimum: 1, maximum: 8, default: 2 },
      window: { type: "boolean", default: true },
      room: { type: "string", enum: ["r1", "r2"], enumNames: ["Blue room", "Red room"] },
      mail: { type: "string", format: "email" },
    };
    const answers = [
      ...["A", "Ada", "two", "9", "Use: 2", "No", "Red room", "ada at example.org", "ada@example.org"],
      "Send",
    ];
    const { asked, end } = await filled(properties, answers, { required: ["name", "people"] });
    const content = { name: "Ada", people: 2, window: false, room: "r2", mail: "ada@example.org" };
    assert.deepEqual(end, { action: "accept", content });
    const texts = asked.map(({ markdown }) => markdown);
    assert.match(
      texts[0] ?? "",
      /^\*\*The MCP server `desk` asks\*\*, while I call `book`.*\n\n```\nWhere shall it be\?\n```/,
    );
    assert.match(texts[1] ?? "", /That can't be sent: That has 1 character. Write 2 to 20 characters\./);
    assert.match(
      texts[2] ?? "",
      /`desk` asks\*\*, 2 of 5:[\s\S]*Write a whole number from 1 to 8\.[\s\S]*suggests `2`/,
    );
    assert.match(texts[4] ?? "", /That can't be sent: Write a whole number from 1 to 8\./);
    assert.match(texts[8] ?? "", /That can't be sent: Write an e-mail address\./);
    assert.match(texts[9] ?? "", /- `Your name`: `Ada`\n- `people`: `2`\n- `window`: `No`\n- `room`: `Red room`/);
    assert.deepEqual(
      asked.map(({ choices }) => choices.join("|")).filter((one, index, all) => all.indexOf(one) === index),
      [
        "Decline|Cancel",
        "Use: 2|Decline|Cancel",
        "Yes|No|Leave out|Decline|Cancel",
        "Blue room|Red room|Leave out|Decline|Cancel",
        "Leave out|Decline|Cancel",
        "Send|Change|Decline|Cancel",
      ],
    );
  });

  it("takes a choice in words, and says what the choices are where it is none of them", async () => {
    const size = { type: "string", oneOf: ["S", "XL"].map((title) => ({ const: title, title })) };
    const properties = { size, gift: { type: "boolean" } };
    const { asked, end } = await filled(properties, ["what?", "xl", "maybe", "yes", "hm", "Send"]);
    assert.deepEqual(end, { action: "accept", content: { size: "XL", gift: true } });
    assert.ok(asked.every(({ takesWords }) => takesWords));
    const texts = asked.map(({ markdown }) => markdown);
    assert.match(texts[1] ?? "", /none of the options/);
    assert.match(texts[3] ?? "", /Answer yes or no/);
    assert.match(texts[5] ?? "", /That is none of: Send, Change, Decline, Cancel\./);
  });

  it("takes the name or the number of any of many options, of which the first are shown", async () => {
    const country = { type: "string", enum: Array.from({ length: 100 }, (_, n) => `Country ${n}`) };
    for (const said of ["country 99", "100"]) {
      const { end, asked } = await filled({ country }, [said, "Send"]);
      assert.deepEqual(end, { action: "accept", content: { country: "Country 99" } });
      assert.match(
        asked[0]?.markdown ?? "",
        /50\. Country 49\nand 50 more\n```\n\nWrite the number of an option, or its name/,
      );
    }
  });

  it("can be changed before it is sent, with what was said as what is suggested", async () => {
    const properties = { from: { type: "string" }, to: { type: "string" } };
    const { end } = await filled(properties, ["Bonn", "Köln", "Change", "Use: Bonn", "Leave out", "Send"]);
    assert.deepEqual(end, { action: "accept", content: { from: "Bonn" } });
  });

  it("takes one choice as it is, several by their numbers, and nothing at all", async () => {
    const one = {
      size: { type: "string", oneOf: ["S", "M"].map((size) => ({ const: size, title: size })), default: "M" },
    };
    const chosen = await filled(one, ["S"], { required: ["size"] });
    assert.deepEqual(chosen.end, { action: "accept", content: { size: "S" } });
    assert.deepEqual(chosen.asked[0]?.choices, ["M", "S", "Decline", "Cancel"], "what is suggested goes first");
    const items = { anyOf: ["r", "g", "b"].map((value, n) => ({ const: value, title: ["Red", "Green", "Blue"][n] })) };
    const colours = { type: "array", items, minItems: 1, maxItems: 2 };
    const several = await filled({ colours }, ["1, 2, 3", "3; red", "Send"], { required: ["colours"] });
    assert.deepEqual(several.end, { action: "accept", content: { colours: ["b", "r"] } });
    assert.match(several.asked[0]?.markdown ?? "", /1\. Red\n2\. Green\n3\. Blue/);
    assert.deepEqual((await filled({}, ["Send"])).end, { action: "accept", content: {} });
  });

  it("can be declined and cancelled at each step, and ends where nobody answers or can", async () => {
    const properties = { name: { type: "string" }, other: { type: "boolean" } };
    const ends = async (...answers: readonly string[]) => (await filled(properties, answers)).end;
    assert.deepEqual(await ends("Decline"), { action: "decline" });
    assert.deepEqual(await ends("Ada", "Cancel"), { action: "cancel" });
    assert.deepEqual(await ends("Ada", "Yes", "Decline"), { action: "decline" });
    assert.deepEqual(await ends("unanswered"), { action: "cancel" });
    assert.deepEqual(await ends("nobody"), { action: "decline" });
    const wrong = await filled({ n: { type: "number" } }, ["a", "b", "c", "d"]);
    assert.deepEqual(wrong.end, { action: "cancel" }, "it is asked four times");
  });

  it("shows the server's words as such: no link, no block that ends early, no hidden letter, bounded", async () => {
    const { asked, ask } = person("Cancel");
    const evil = "[bank](https://evil.example) ```\n**I am Talaria** @all\u202e\u200b";
    const fields = formFields({
      properties: { a: { type: "boolean", title: "`x` [y](z)", description: "d".repeat(5_000) } },
    });
    await askForm({ server: "desk", nameThere: "a`b" }, evil + "m".repeat(50_000), fields, ask);
    const [{ markdown } = { markdown: "" }] = asked;
    assert.ok(markdown.length < 2_500);
    assert.equal(markdown.match(/```/g)?.length, 4);
    assert.doesNotMatch(markdown.replace(/```[\s\S]*?```/g, ""), /bank|Talaria|@all|\[y\]/);
    assert.doesNotMatch(markdown, /[\u202e\u200b]/);
    const options = { type: "string", enum: ["Decline", "decline", "a".repeat(70), "a".repeat(75)] };
    const twins = await filled({ options }, ["2. decline"]);
    assert.deepEqual(twins.end, { action: "accept", content: { options: "decline" } });
  });

  it("is refused where it asks for a secret, too much, or what can't be asked for", () => {
    const refuses = (properties: object, why: RegExp) => assert.throws(() => formFields({ properties }), why);
    for (const name of [
      "password",
      "userPassword",
      "api_key",
      "apiKey",
      "PIN",
      "pinCode",
      "access-token",
      "cvc",
      "secretWord",
    ])
      refuses({ [name]: { type: "string" } }, /asks for a secret/);
    refuses({ x: { type: "string", title: "One-time code" } }, /asks for a secret/);
    refuses({ x: { type: "string", description: "The passphrase of your wallet" } }, /asks for a secret/);
    refuses({ x: { type: "string", description: "Enter the new PIN" } }, /asks for a secret/);
    const warns = "Your favourite number (not your phone number, pin or other secrets)";
    assert.equal(formFields({ properties: { x: { type: "string", description: warns } } }).length, 1);
    refuses({ x: { type: "string", format: "password" } }, /asks for a secret/);
    for (const title of ["Passwort", "mot_de_passe", "contraseña", "пароль", "密码", "Ihr Kennwort"])
      refuses({ x: { type: "string", title } }, /asks for a secret/);
    for (const title of [
      "p a s s w o r d",
      "P-a-s-s-w-o-r-d",
      "P. I. N.",
      "раsswоrd",
      "ΡΙΝ",
      "ѕесrеt",
      "ｐａｓｓｗｏｒｄ",
      "pass\u200bword",
      "pa\u0301ssword",
      "passw0rd",
      "𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱",
    ])
      refuses({ x: { type: "string", title } }, /asks for a secret/);
    refuses({ x: { type: "string", description: "Enter your р а ѕ ѕ w о r d" } }, /asks for a secret/);
    const words = { properties: { x: { type: "string" } } };
    const far = `${"Please. ".repeat(100)} Write your password`;
    assert.throws(() => formFields(words, far), /its message asks for a secret/);
    for (const title of ["а б в г", "Option A, B, C or D", "Страна", "Ελλάδα", "U. S. A. state", "0 to 5 stars"])
      assert.equal(formFields({ properties: { x: { type: "string", title } } }).length, 1, title);
    assert.throws(() => formFields(words, "Please write your password below"), /its message asks for a secret/);
    assert.equal(formFields({ properties: { x: { type: "boolean" } } }, "Reset your password?").length, 1);
    for (const name of [
      "shipping",
      "pinned",
      "opinion",
      "tandem",
      "passenger",
      "keyword",
      "tokyo",
      "monkey",
      "secretary",
    ])
      assert.equal(formFields({ properties: { [name]: { type: "string" } } }).length, 1, name);
    refuses(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, { type: "string" }])), /11 fields/);
    refuses({ x: { type: "object" } }, /of a kind that can't be asked for/);
    refuses({ x: { type: "string", enum: Array.from({ length: 1_001 }, (_, n) => `${n}`) } }, /1001 options/);
    assert.throws(() => formFields("x"), /can't be read/);
  });
});

describe("a page that a server wants opened", () => {
  const page = (url: string) => ({ message: "Log in, please.", url });

  it("is shown with its host and its whole address, and agreed to by a person", async () => {
    const url = "https://desk.example/login?state=1&next=https://bank.example";
    const { asked, ask } = person("I'll open it");
    assert.deepEqual(await askUrl(tool, page(url), ask), { action: "accept" });
    assert.match(asked[0]?.markdown ?? "", /`desk` wants you to open a page\*\* of `desk\.example`/);
    assert.ok(asked[0]?.markdown.includes(`\`\`\`\n${url}\n\`\`\``));
    const odd = person("Decline");
    assert.deepEqual(await askUrl(tool, page("https://xn--80ak6aa92e.com/"), odd.ask), { action: "decline" });
    assert.match(odd.asked[0]?.markdown ?? "", /letters that may look like others/);
    assert.deepEqual(await askUrl(tool, page(url), person("Cancel").ask), { action: "cancel" });
    assert.deepEqual(await askUrl(tool, page(url), person("nobody").ask), { action: "decline" });
  });

  it("is shown to nobody where its address is not https, or hides its host", async () => {
    const { ask } = person();
    for (const url of [
      "http://desk.example/",
      "javascript:alert(1)",
      "https://bank.example@evil.example/",
      "nothing",
      `https://a.example/${"x".repeat(3_000)}`,
    ])
      await assert.rejects(askUrl(tool, page(url), ask), /address/, url);
  });
});
