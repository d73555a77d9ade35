export { hintOf, isUserIdOn, loadPlatform, loadPlatforms, ownPlatforms, platformNames } from "./load-platforms.ts";
