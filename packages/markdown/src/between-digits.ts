import type { Code, Construct, Extension } from "micromark-util-types";
import { isArithmetic } from "./flanking.ts";

const tokens = { star: 42, tilde: 126 };

/** Signs between two digits are no marks: `2*3*4` is arithmetic. CommonMark says the same of `_` already. */
export function betweenDigits(markdown: string): Extension {
  return { text: { [tokens.star]: [arithmetic(markdown), signs], [tokens.tilde]: signs } };
}

/** A sign between single letters is none either: `a*b`. */
function arithmetic(markdown: string): Construct {
  return {
    name: "arithmetic",
    tokenize(effects, ok, nok) {
      return (code) => {
        const { offset } = this.now();
        if (markdown.charCodeAt(offset) !== tokens.star || !isArithmetic(markdown, offset)) return nok(code);
        effects.enter("data");
        effects.consume(code);
        effects.exit("data");
        return ok;
      };
    },
  };
}

const signs: Construct = {
  name: "betweenDigits",
  tokenize(effects, ok, nok) {
    const isBehindDigit = isDigit(this.previous);
    let sign: Code = null;
    const next = (code: Code) => {
      if (code === sign) {
        effects.consume(code);
        return next;
      }
      effects.exit("data");
      return isDigit(code) ? ok(code) : nok(code);
    };
    return (code) => {
      if (!isBehindDigit) return nok(code);
      sign = code;
      effects.enter("data");
      return next(code);
    };
  },
};

function isDigit(code: Code): boolean {
  return code !== null && code >= 48 && code <= 57;
}
