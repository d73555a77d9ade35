import assert from "node:assert/strict";
import { waitFor } from "../../support/wait-for.ts";
import type { Diary } from "./diary.ts";
import { isSaid } from "./sentences.ts";

export interface Shown {
  readonly id: string | number;
  readonly text: string;
}

/** Somebody who looks at one conversation, and remembers what they have read there. */
export class Reader {
  readonly name: string;
  readonly #shown: () => readonly Shown[] | Promise<readonly Shown[]>;
  readonly #diary: Diary;
  readonly #read = new Map<Shown["id"], string>();
  #later: string[] = [];
  readonly #maybe: string[] = [];

  constructor(name: string, shown: () => readonly Shown[] | Promise<readonly Shown[]>, diary: Diary) {
    this.name = name;
    this.#shown = shown;
    this.#diary = diary;
  }

  /** Waits until what is new to them is exactly this, in this order; a changed text is new. None: nothing is new now. */
  async reads(...sentences: readonly string[]): Promise<readonly string[]> {
    const isRead = (texts: readonly string[]) =>
      texts.length === sentences.length && texts.every((text, n) => isSaid(sentences[n] ?? "", text));
    return await this.#until(isRead, (texts) => assert.deepEqual(texts, sentences));
  }

  /** Waits until each question was answered, once and in order, in however many texts. */
  async readsAnswersTo(questions: readonly string[]): Promise<void> {
    const answered = (texts: readonly string[]) => texts.flatMap((text) => questionsIn(text));
    const fails = (texts: readonly string[]) => assert.deepEqual(answered(texts), questions);
    await this.#until((texts) => answered(texts).length >= questions.length, fails).then(fails);
  }

  /** They will read this some time, whatever else they read meanwhile. */
  expects(sentence: string): void {
    this.#later.push(sentence);
  }

  /** They may read this, as often as it comes. */
  mayRead(sentence: string): void {
    this.#maybe.push(sentence);
  }

  /** Waits until they have read all that they were to read some time, and nothing else. */
  async hasReadAll(): Promise<void> {
    await this.#until(
      (texts) => texts.length === 0 && this.#later.length === 0,
      (texts) => assert.deepEqual([texts, this.#later], [[], []], `${this.name} has read more, or not all`),
    );
  }

  async #until(isRead: (texts: readonly string[]) => boolean, fail: (texts: readonly string[]) => void) {
    let news: readonly Shown[] = [];
    const textsOf = () => news.map(({ text }) => text);
    const look = async () => {
      news = await this.#news();
      return isRead(textsOf());
    };
    await waitFor(look, `${this.name} to read it`).catch((error: unknown) => {
      fail(textsOf());
      throw error;
    });
    for (const { id, text } of news) this.#read.set(id, text);
    this.#diary.read(this.name, textsOf());
    return textsOf();
  }

  /** What is new, without what may come some time; that is noted when it has come. */
  async #news(): Promise<readonly Shown[]> {
    const news = (await this.#shown()).filter(({ id, text }) => this.#read.get(id) !== text);
    return news.filter(({ id, text }) => {
      const awaited = this.#later.find((sentence) => isSaid(sentence, text));
      if (awaited === undefined && !this.#maybe.some((sentence) => isSaid(sentence, text))) return true;
      this.#later = this.#later.filter((sentence) => sentence !== awaited);
      this.#read.set(id, text);
      this.#diary.read(this.name, [text]);
      return false;
    });
  }
}

/** `small: Is it late? Why?` holds two. */
export function questionsIn(text: string): readonly string[] {
  return text.match(/[A-Z][^?<>\n]*\?/g) ?? [];
}
