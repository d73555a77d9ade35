export { type AddressGuard, createAddressGuard, type GuardOptions } from "./address-guard.ts";
export { type Declaration, declarationsOf } from "./hidden/declarations.ts";
export { hidesPictures, hidesText, openSight, type Sight, sightWithin } from "./hidden/sight.ts";
export { type SeenElement, Sights } from "./hidden/sights.ts";
export { type StyleRule, type StyleSheets, styleRules } from "./hidden/style-rules.ts";
export { isPublicAddress } from "./public-address.ts";
export { decodePage, type HtmlText, htmlToText, rtfText } from "./text.ts";
