export { type AddressGuard, createAddressGuard, type GuardOptions } from "./address-guard.ts";
export { type Declaration, declarationsOf } from "./hidden/declarations.ts";
export { hidesPictures, hidesText, openSight, type Sight, sightWithin } from "./hidden/sight.ts";
export { type SeenElement, Sights } from "./hidden/sights.ts";
export { type StyleRule, type StyleSheets, styleRules } from "./hidden/style-rules.ts";
export { type HtmlText, htmlToText } from "./html/html-text.ts";
export { isPublicAddress } from "./public-address.ts";
export { decodePage } from "./rtf/code-pages.ts";
export { rtfText } from "./rtf/rtf-text.ts";
