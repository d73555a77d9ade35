export {
  type Changing,
  decideChange,
  type FactChange,
  type FactWrite,
  type NewFact,
  type RefusedChange,
} from "./decide-change.ts";
export { mostChangedAtOnce, mostFactChars } from "./limits.ts";
export { audienceFor, type Reach, reachOf, type Standing } from "./reach.ts";
export { isTrusted, listedLine, renderSnapshot, renderSubject, type Trusting } from "./render.ts";
