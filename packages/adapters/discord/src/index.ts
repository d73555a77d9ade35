export { platform } from "./platform.ts";
