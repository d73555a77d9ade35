export { type FloorBreach, floorOf } from "./floor.ts";
export {
  type Charge,
  chargesOf,
  type SpenderIdentity,
  type SpendingLimit,
  type SpendingLimits,
  type SpendingScope,
  type SpendingUnit,
} from "./spending.ts";
