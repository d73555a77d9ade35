export { setupCase } from "./setup-case.ts";
export { startStage } from "./stage.ts";
