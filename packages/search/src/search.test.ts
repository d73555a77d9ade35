import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  bm25,
  dropAlike,
  fuseRanks,
  languageOf,
  lendToNeighbours,
  parseQuery,
  sessionScore,
  soughtWordsOf,
  wordsOf,
} from "./index.ts";

describe("words of a text", () => {
  it("are in small letters and without accents", () => {
    assert.deepEqual(wordsOf("Le Café, n'est-ce pas? foo_bar(42)"), [
      "le",
      "cafe",
      "n",
      "est",
      "ce",
      "pas",
      "foo",
      "bar",
      "42",
    ]);
    assert.deepEqual(wordsOf("Straße ИЙ"), ["straße", "ии"]);
  });

  it("are pairs of signs in scripts without spaces, and the last sign alone", () => {
    assert.deepEqual(wordsOf("東京都へ"), ["東京", "京都", "都へ", "へ"]);
    assert.deepEqual(wordsOf("iPhoneを買う"), ["iphone", "を買", "買う", "う"]);
    assert.deepEqual(wordsOf("がぎ"), ["がぎ", "ぎ"], "a sign keeps its mark");
    assert.deepEqual(soughtWordsOf("東京都"), [{ word: "東京" }, { word: "京都" }]);
    assert.deepEqual(soughtWordsOf("犬"), [{ word: "犬", isBeginning: true }]);
  });

  it("are read in bounded time, whatever strangers write", () => {
    assert.ok(wordsOf("a".repeat(1_000_000)).length === 0);
    assert.ok(wordsOf("字".repeat(1_000_000)).length <= 20_000);
    assert.ok(wordsOf("e\u0301".repeat(500_000)).length === 0);
  });
});

describe("the language of words", () => {
  for (const [text, language] of [
    ["where did we put the keys of the garage", "english"],
    ["wo haben wir den Schlüssel für die Garage", "german"],
    ["dónde está la llave del garaje", "spanish"],
    ["どこに鍵を置きましたか", undefined],
    ["garage", undefined],
  ] as const)
    it(`is ${language} for "${text}"`, () => assert.equal(languageOf(wordsOf(text)), language));
});

describe("a question", () => {
  it("has phrases, filters and the words that tell something", () => {
    assert.deepEqual(
      parseQuery('what did from:"Ada Li" say of the "blue door" after:2026-01-05 before:2026-02-01 in:here'),
      {
        words: [{ word: "say" }, { word: "blue" }, { word: "door" }],
        phrases: [["blue", "door"]],
        language: "english",
        from: "Ada Li",
        after: "2026-01-05",
        before: "2026-02-01",
        in: "here",
      },
    );
  });

  it("keeps frequent words where there are no others, and takes what is no filter as words", () => {
    assert.deepEqual(parseQuery("the who").words, [{ word: "the" }, { word: "who" }]);
    assert.deepEqual(
      parseQuery("before:noon after:2026-99-01 x:y").words.map(({ word }) => word),
      [...["before", "noon", "after", "2026", "99", "01", "x", "y"]],
    );
    for (const odd of ['"', '""', "from:", 'in:""', "' or 1=1 --", "\0", "a & !b | (c", "“x"]) parseQuery(odd);
  });

  it("is bounded", () => {
    const many = parseQuery(Array.from({ length: 500 }, (_, n) => `w${n} "p${n} q"`).join(" "));
    assert.equal(many.words.length, 12);
    assert.equal(many.phrases.length, 4);
  });
});

describe("a ranking", () => {
  const corpus = { messages: 100, meanLength: 10, having: [50, 1] };

  it("counts a rare word for more than a frequent one, and a short message for more than a long one", () => {
    const score = (times: readonly number[], length = 10) => bm25({ times, length }, corpus);
    assert.ok(score([0, 1]) > score([1, 0]));
    assert.ok(score([0, 1], 5) > score([0, 1], 50));
    assert.ok(score([2, 0]) > score([1, 0]) && score([2, 0]) < 2 * score([1, 0]));
    // By hand: ln(1 + 50.5 / 50.5) and ln(1 + 99.5 / 1.5), each times 2.2 / 2.2.
    assert.ok(Math.abs(score([1, 1]) - (Math.log(2) + Math.log(1 + 99.5 / 1.5))) < 1e-9);
  });

  it("stays above zero where the counts are older than the messages", () => {
    assert.ok(bm25({ times: [1], length: 3 }, { messages: 2, meanLength: 0, having: [9] }) > 0);
  });

  it("lets neighbours lend, and no further than two", () => {
    const found = [
      {
        key: "c",
        score: 10,
        beside: [
          ["b", "d"],
          ["a", "e"],
        ],
      },
      { key: "b", score: 1, beside: [["a", "c"], ["d"]] },
    ];
    assert.deepEqual(Object.fromEntries(lendToNeighbours(found)), { a: 2.4, b: 5, c: 10.4, d: 4.2, e: 2 });
  });

  it("scores a session by its best eight messages", () => {
    assert.equal(sessionScore([1, 4, 2]), 4 + 1 + 0.25);
    assert.equal(sessionScore(Array.from({ length: 20 }, () => 1)), 2 - 2 ** -7);
    assert.equal(sessionScore([]), 0);
  });

  it("joins rankings by places", () => {
    assert.deepEqual(
      fuseRanks([
        ["a", "b", "c"],
        ["c", "b"],
      ]),
      ["c", "b", "a"],
    );
    assert.deepEqual(fuseRanks([["a", "b"]]), ["a", "b"]);
  });

  it("drops what says nearly the same, but not another date", () => {
    const long = "we meet in the large room on the second floor at";
    const texts = [`${long} nine`, `${long} nine`, `${long} ten o clock`, "on monday", "on tuesday", "on monday"];
    assert.deepEqual(dropAlike(texts, wordsOf), [texts[0], texts[2], "on monday", "on tuesday"]);
  });
});
