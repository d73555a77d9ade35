export { hintOf, loadPlatform, loadPlatforms, ownPlatforms, platformNames } from "./load-platforms.ts";
