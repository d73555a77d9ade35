import assert from "node:assert/strict";
import { it } from "node:test";
import type { Interview } from "../interview.ts";
import { Answers } from "./answers.ts";

it("says what Enter means for a key: that none is wanted, and after a wrong one that it is kept", async () => {
  const asked: string[] = [];
  const typed = ["sk-wrong", undefined];
  const interview: Interview = {
    isInteractive: true,
    answer: async ({ text }) => {
      asked.push(text);
      return typed.shift();
    },
    confirm: async () => true,
    choose: async () => "",
    [Symbol.dispose]: () => undefined,
  };
  const answers = new Answers(interview, new Map());
  const key = { key: "apiKey", text: "API key", secret: true, preset: "", nothing: "it wants none" } as const;
  await answers.answer(key);
  answers.forget("apiKey");
  await answers.answer(key);
  assert.deepEqual(asked, ["API key (Enter: it wants none)", "API key (Enter keeps the one you gave)"]);
  assert.equal(answers.known("apiKey"), "sk-wrong");
});
