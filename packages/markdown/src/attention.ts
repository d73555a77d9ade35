import { attention } from "micromark-core-commonmark";
import type { Code, Construct, Extension } from "micromark-util-types";
import { isArithmetic, isEastAsian } from "./flanking.ts";

const star = 42;

/**
 * Where a run of `*` opens and closes emphasis. CommonMark's rule is made for languages with blanks between words: beside
 * punctuation `**注意：**必ず` and `**Note:**text` would be no emphasis, as models write it. So a run beside a letter of Chinese,
 * Japanese or Korean, and any of two or more, opens before what is no blank, and closes behind it. Signs in arithmetic are no marks.
 */
export function attentionSyntax(markdown: string): Extension {
  const stars: Construct = {
    name: "attention",
    ...(attention.resolveAll === undefined ? {} : { resolveAll: attention.resolveAll }),
    tokenize(effects, ok, nok) {
      const before = this.previous;
      let length = 0;
      const inside = (code: Code) => {
        if (code === star) {
          length += 1;
          effects.consume(code);
          return inside;
        }
        if (!isLenient(before, code, length)) return nok(code);
        const token = effects.exit("attentionSequence");
        token._open = !isBlank(code);
        token._close = !isBlank(before);
        return ok(code);
      };
      return (code) => {
        const { offset } = this.now();
        if (markdown.charCodeAt(offset) === star && isArithmetic(markdown, offset)) return nok(code);
        effects.enter("attentionSequence");
        return inside(code);
      };
    },
  };
  return { text: { [star]: stars } };
}

function isLenient(before: Code, after: Code, length: number): boolean {
  const isBesidePunctuation = isPunctuation(before) !== isPunctuation(after);
  return isBesidePunctuation && (length > 1 || isInEastAsia(before) || isInEastAsia(after));
}

function isBlank(code: Code): boolean {
  return code === null || code < 0 || /\s/.test(String.fromCodePoint(code));
}

function isPunctuation(code: Code): boolean {
  return code !== null && code > 0 && /[\p{P}\p{S}]/u.test(String.fromCodePoint(code));
}

function isInEastAsia(code: Code): boolean {
  return code !== null && code > 0 && isEastAsian(String.fromCodePoint(code));
}
