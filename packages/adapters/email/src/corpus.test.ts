import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { htmlToText } from "@talaria/foreign-content";
import { stripHistory } from "./strip-history.ts";
import type { CorpusMail } from "./testing/corpus/corpus-mail.ts";
import { otherLanguages } from "./testing/corpus/languages-other.ts";
import { westernLanguages } from "./testing/corpus/languages-west.ts";
import { between, otherMails } from "./testing/corpus/other-programs.ts";
import { ownWords } from "./testing/corpus/own-words.ts";
import { mailsOf } from "./testing/corpus/programs.ts";

const languages = [...westernLanguages, ...otherLanguages];
const mails = [...languages.flatMap(mailsOf), ...otherMails, ...between, ...ownWords];
/** So much of what may be left out has to be. */
const leastLeftOut = 0.95;

describe("mails as programs write them", () => {
  it(`${mails.length} mails in ${languages.length} languages lose no word of their sender's, and nearly all of their history`, async (test) => {
    const lost: string[] = [];
    const kept: string[] = [];
    let [seen, history] = [0, 0];
    for (const mail of mails) {
      const text = await readText(mail);
      for (const phrase of mail.seen) {
        seen += wordsIn(phrase);
        if (!text.includes(phrase)) lost.push(`${mail.name}: ${phrase}`);
      }
      for (const phrase of mail.history) {
        history += wordsIn(phrase);
        if (text.includes(phrase)) kept.push(`${mail.name}: ${phrase}`);
      }
    }
    const seenShare = 1 - countWords(lost) / seen;
    const leftOutShare = 1 - countWords(kept) / history;
    test.diagnostic(`${percent(seenShare)} of ${seen} words that have to be read are read`);
    test.diagnostic(`${percent(leftOutShare)} of ${history} words of history are left out`);
    assert.deepEqual(lost, []);
    assert.ok(leftOutShare >= leastLeftOut, kept.join("\n"));
  });

  it("are enough to tell, and the history is there before it is left out", () => {
    assert.ok(mails.length >= 150 && languages.length >= 20);
    assert.equal(new Set(mails.map(({ name }) => name)).size, mails.length);
    for (const { name, text, history } of mails)
      for (const phrase of history) assert.ok(text === undefined || text.includes(phrase), `${name}: ${phrase}`);
  });
});

async function readText({ text, html, thread }: CorpusMail): Promise<string> {
  return stripHistory(text ?? (await htmlToText(html ?? "")).text, thread).text;
}

function wordsIn(phrase: string): number {
  return phrase.split(/\s+/).length;
}

/** Of phrases behind the names of their mails. */
function countWords(named: readonly string[]): number {
  return named.reduce((sum, line) => sum + wordsIn(line.slice(line.indexOf(": ") + 2)), 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
