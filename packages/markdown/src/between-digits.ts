import type { Code, Construct, Extension } from "micromark-util-types";

const tokens = { star: 42, tilde: 126 };

/** Signs between two digits are no marks: `2*3*4` is arithmetic. CommonMark says the same of `_` already. */
export function betweenDigits(): Extension {
  return { text: { [tokens.star]: signs, [tokens.tilde]: signs } };
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
