import type { Parent, PhrasingContent } from "mdast";

/** What Markdown has no sign for. */
interface Styled extends Parent {
  children: PhrasingContent[];
}
export interface Underline extends Styled {
  type: "underline";
}
export interface Subscript extends Styled {
  type: "subscript";
}
export interface Superscript extends Styled {
  type: "superscript";
}

declare module "mdast" {
  interface PhrasingContentMap {
    underline: Underline;
    subscript: Subscript;
    superscript: Superscript;
  }
  interface RootContentMap {
    underline: Underline;
    subscript: Subscript;
    superscript: Superscript;
  }
}
