import type { Code, Construct, Extension } from "micromark-util-types";
import { endOfFormula } from "./find-formula.ts";
import { formulaBlocksIn } from "./formula-blocks.ts";

declare module "micromark-util-types" {
  interface TokenTypeMap {
    formula: "formula";
    inlineFormula: "inlineFormula";
    formulaLine: "formulaLine";
  }
}

const backslash = 92;
const dollar = 36;

/**
 * Formulas of LaTeX, as tokens of the parser of this text: it knows what is code, and reads no escapes and no emphasis in
 * them. What has no end is no formula.
 */
export function formulaSyntax(markdown: string): Extension {
  const inLine = formulaInLine((offset) => endOfFormula(markdown, offset));
  const blocks = formulaBlocksIn(markdown);
  const text = { [backslash]: inLine, [dollar]: inLine };
  if (blocks.size === 0) return { text };
  const block = formulaBlock((offset) => blocks.get(offset));
  return { text, flow: { [backslash]: block, [dollar]: block } };
}

type EndOf = (offset: number) => number | undefined;

function formulaInLine(endOf: EndOf): Construct {
  return {
    name: "inlineFormula",
    tokenize(effects, ok, nok) {
      let end = 0;
      const line = (code: Code) => {
        if (code === null) return nok(code);
        if (isLineEnd(code)) {
          effects.exit("formulaLine");
          effects.enter("lineEnding");
          effects.consume(code);
          effects.exit("lineEnding");
          return next;
        }
        effects.consume(code);
        return this.now().offset < end ? line : behind;
      };
      const next = (code: Code) => {
        effects.enter("formulaLine");
        return line(code);
      };
      const behind = (code: Code) => {
        effects.exit("formulaLine");
        effects.exit("inlineFormula");
        return ok(code);
      };
      return (code) => {
        end = endOf(this.now().offset) ?? 0;
        if (end === 0) return nok(code);
        effects.enter("inlineFormula");
        return next(code);
      };
    },
  };
}

function formulaBlock(endOf: EndOf): Construct {
  return {
    name: "formula",
    // No quote and no list begins in it.
    concrete: true,
    tokenize(effects, ok, nok) {
      let end = 0;
      const line = (code: Code) => {
        const isEnd = code === null || isLineEnd(code);
        if (!isEnd) {
          effects.consume(code);
          return line;
        }
        effects.exit("formulaLine");
        if (this.now().offset < end) return code === null ? nok(code) : effects.attempt(sameContainer, next, nok)(code);
        effects.exit("formula");
        return ok(code);
      };
      const next = (code: Code) => {
        effects.enter("formulaLine");
        return line(code);
      };
      return (code) => {
        end = endOf(this.now().offset) ?? 0;
        if (end === 0) return nok(code);
        if (this.interrupt === true) return ok(code);
        effects.enter("formula");
        return next(code);
      };
    },
  };
}

/** The end of a line, where the next one belongs to the same quote and item. */
const sameContainer: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter("lineEnding");
      effects.consume(code);
      effects.exit("lineEnding");
      return (next) => (this.parser.lazy[this.now().line] === true ? nok(next) : ok(next));
    };
  },
};

/** The parser's numbers for the ends of lines. */
function isLineEnd(code: number): boolean {
  return code < -2;
}
