export {
  type Changing,
  decideChange,
  type FactChange,
  type FactWrite,
  type NewFact,
  type RefusedChange,
} from "./decide-change.ts";
export { audienceFor, type Reach, reachOf, type Standing } from "./reach.ts";
export { isTrusted, listedLine, renderSnapshot, type Trusting, usedOf } from "./render.ts";
export { mixedAlphabets } from "./scan-fact.ts";
export { doubtfulSigns, keyFilesSign, type Sign, steeringSigns } from "./signs.ts";
