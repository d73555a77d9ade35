import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import o200k from "js-tiktoken/ranks/o200k_base";
import { estimateTokens } from "./estimate-tokens.ts";
import { material } from "./long-work.fixture.ts";

const vocabularies = [new Tiktoken(o200k), new Tiktoken(cl100k)];

function bytes(seed: number, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 64) }, (_, n) =>
    createHash("sha512").update(`${seed} ${n}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

function characters(alphabet: string, length: number, seed: number): string {
  return [...bytes(seed, length)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

const texts: Readonly<Record<string, string>> = {
  csv: material(0, 8_000),
  hex: material(1, 8_000),
  log: material(2, 8_000),
  json: material(3, 8_000),
  code: material(4, 8_000),
  prose: readFileSync(new URL("../../../../README.md", import.meta.url), "utf8"),
  "our own code": readFileSync(new URL("./compress.ts", import.meta.url), "utf8"),
  "a table with tabs": lines(200, (n) => [...bytes(n, 8)].map((byte) => (byte / 7).toFixed(2)).join("\t")),
  "a table with blanks": lines(200, (n) => [...bytes(n, 8)].map((byte) => String(byte * 37).padStart(10)).join(" ")),
  "capital hex": lines(100, (n) => bytes(n, 32).toString("hex").toUpperCase()),
  "a hex dump": lines(
    100,
    (n) => `${n.toString(16).padStart(8, "0")}  ${bytes(n, 16).toString("hex").match(/../g)?.join(" ")}`,
  ),
  base64: lines(100, (n) => bytes(n, 57).toString("base64")),
  digits: lines(50, (n) => characters("0123456789", 80, n)),
  letters: lines(100, (n) => characters("abcdefghijklmnopqrstuvwxyz", 60, n)),
  genes: lines(100, (n) => characters("ACGT", 60, n)),
  signs: lines(100, (n) => characters("!@#$%^&*()_+-={}[]|:;<>?,./~", 60, n)),
  "what is typed": lines(100, (n) =>
    characters(String.fromCharCode(...Array.from({ length: 94 }, (_, c) => 33 + c)), 60, n),
  ),
  german:
    "Die Donaudampfschifffahrtsgesellschaft hat beschlossen, dass künftig alle Fahrgäste ihre Fahrscheine vorzeigen müssen. ".repeat(
      9,
    ),
  turkish: "Çalışmalarımızı sürdürürken karşılaştığımız güçlükleri aşabilmek için desteğe ihtiyacımız vardı. ".repeat(
    9,
  ),
  vietnamese: "Hôm qua chúng tôi đã đến thăm một ngôi làng nhỏ ở miền núi, nơi mọi người đều rất thân thiện. ".repeat(
    9,
  ),
  russian: "Вчера мы долго обсуждали предстоящую поездку в горы и решили, что поедем все вместе. ".repeat(9),
  greek: "Χθες το βράδυ συζητήσαμε για πολλή ώρα το επερχόμενο ταξίδι στα βουνά. ".repeat(9),
  arabic: "تحدثنا أمس طويلا عن الرحلة القادمة إلى الجبال وقررنا أن نذهب جميعا معا ".repeat(9),
  hebrew: "אתמול בערב דיברנו זמן רב על הטיול הקרוב להרים והחלטנו שניסע כולנו יחד ".repeat(9),
  hindi: "कल हमने पहाड़ों की आगामी यात्रा के बारे में बहुत देर तक चर्चा की। ".repeat(9),
  tamil: "நேற்று நாங்கள் மலைகளுக்கான வரவிருக்கும் பயணத்தைப் பற்றி பேசினோம். ".repeat(9),
  thai: "เมื่อวานนี้เราพูดคุยกันเป็นเวลานานเกี่ยวกับการเดินทางไปภูเขา ".repeat(9),
  chinese: "昨天我们讨论了很长时间关于即将到来的山区旅行，并决定下个月大家一起去。".repeat(9),
  japanese: "昨日は来月の山への旅行について長い時間話し合い、みんなで行くことに決めました。".repeat(9),
  korean: "어제 우리는 다가오는 산악 여행에 대해 오랫동안 이야기했고 함께 가기로 했습니다. ".repeat(9),
  amharic: "ትናንት ስለ መጪው የተራራ ጉዞ ለረጅም ጊዜ ተወያየን እና አብረን ለመሄድ ወሰንን። ".repeat(9),
  georgian: "გუშინ ჩვენ დიდხანს ვისაუბრეთ მთებში მომავალ მოგზაურობაზე. ".repeat(9),
  khmer: "ម្សិលមិញយើងបានពិភាក្សាគ្នាយូរអំពីដំណើរកម្សាន្តទៅភ្នំ ".repeat(9),
  emoji: "😀😂🥳👍🏽👩‍👩‍👧‍👦🇩🇪❤️✨🔥🎉 ".repeat(20),
  formulas: "∀x∈ℝ: ∑ᵢ₌₁ⁿ xᵢ² ≥ 0 ⇒ ‖x‖₂ ≤ √n·max|xᵢ| ∫₀^∞ e^{-x²}dx = √π/2 ".repeat(9),
  frames: "┌──────┬──────┐\n│ a    │ b    │\n├──────┼──────┤\n│ 1    │ 2    │\n└──────┴──────┘\n".repeat(20),
};

describe("the guess of a text's tokens", () => {
  for (const [name, text] of Object.entries(texts))
    it(`is at most a tenth too low: ${name}`, () => {
      for (const vocabulary of vocabularies) {
        const tokens = vocabulary.encode(text, "all").length;
        assert.ok(estimateTokens(text) >= tokens * 0.9, `${estimateTokens(text)} for ${tokens}`);
      }
    });

  for (const name of ["csv", "hex", "log", "json", "code", "prose", "our own code", "base64"])
    it(`is at most a half too high: ${name}`, () => {
      const text = texts[name] ?? "";
      const tokens = vocabularies[0]?.encode(text, "all").length ?? 0;
      assert.ok(estimateTokens(text) <= tokens * 1.5, `${estimateTokens(text)} for ${tokens}`);
    });

  it("grows with the text, is nothing for nothing, and takes what no vocabulary knows", () => {
    assert.equal(estimateTokens(""), 0);
    for (const text of ["\ud800", "\u0000\u0001", "\uffff".repeat(9)]) assert.ok(estimateTokens(text) >= 1);
    const text = material(2, 3_000);
    assert.ok(estimateTokens(text + text) >= 1.9 * estimateTokens(text));
  });
});
