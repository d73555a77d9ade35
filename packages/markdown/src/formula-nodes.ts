import type { Literal } from "mdast";
import type { CompileContext, Extension } from "mdast-util-from-markdown";

/** A formula in a line of words. */
export interface InlineFormula extends Literal {
  type: "inlineFormula";
}

/** A formula that stands by itself. */
export interface Formula extends Literal {
  type: "formula";
}

declare module "mdast" {
  interface PhrasingContentMap {
    inlineFormula: InlineFormula;
  }
  interface BlockContentMap {
    formula: Formula;
  }
  interface RootContentMap {
    inlineFormula: InlineFormula;
    formula: Formula;
  }
}

/** What the tree holds for a formula: its LaTeX without the signs around it. */
export const formulaNodes: Extension = {
  enter: {
    inlineFormula(token) {
      this.enter({ type: "inlineFormula", value: "" }, token);
    },
    formula(token) {
      this.enter({ type: "formula", value: "" }, token);
    },
  },
  exit: {
    formulaLine(token) {
      const node = formulaOf(this);
      if (node !== undefined) node.value += `${this.sliceSerialize(token)}\n`;
    },
    inlineFormula(token) {
      const node = formulaOf(this);
      if (node !== undefined) node.value = withoutSigns(node.value).replaceAll(/\s*\n\s*/g, " ");
      this.exit(token);
    },
    formula(token) {
      const node = formulaOf(this);
      if (node !== undefined) node.value = withoutSigns(node.value).replaceAll(/[^\S\n]+$/gm, "");
      this.exit(token);
    },
  },
};

function formulaOf(context: CompileContext): InlineFormula | Formula | undefined {
  const node = context.stack.at(-1);
  return node?.type === "inlineFormula" || node?.type === "formula" ? node : undefined;
}

/** Formulas begin and end with one `$`, or with two units; an environment of LaTeX is one by itself. */
function withoutSigns(text: string): string {
  const whole = text.trim();
  if (whole.startsWith("\\begin{")) return whole;
  const length = /^\$(?!\$)/.test(whole) ? 1 : 2;
  return whole.slice(length, -length).trim();
}
