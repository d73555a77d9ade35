export { isPublicAddress } from "./public-address.ts";
