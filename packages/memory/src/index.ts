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
export { faultWords } from "./scan-fact.ts";
