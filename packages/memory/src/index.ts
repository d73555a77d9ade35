export {
  type Changing,
  decideChange,
  type FactChange,
  type FactWrite,
  type NewFact,
  type RefusedChange,
} from "./decide-change.ts";
export { decidePass, type PassChange, type ProposedChange } from "./pass-changes.ts";
export { isPassLine, mayTeach, type PassAnswer, type PassEntry, type PassLine, passLines } from "./pass-lines.ts";
export { passInstructions, passText } from "./pass-text.ts";
export { audienceFor, type Reach, reachOf, type Standing } from "./reach.ts";
export { isTrusted, listedLine, renderSnapshot, type Trusting, usedOf } from "./render.ts";
export { faultWords } from "./scan-fact.ts";
