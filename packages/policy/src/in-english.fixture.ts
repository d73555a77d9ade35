import { english } from "@talaria/words";
import * as policy from "./index.ts";

type Rest<Given extends readonly unknown[]> = Given extends readonly [unknown, unknown, unknown, ...infer More]
  ? More
  : never;

const { callPhrases } = english;

export function shownCall(
  call: Parameters<typeof policy.shownCall>[0],
  targets: Parameters<typeof policy.shownCall>[1],
  ...more: Rest<Parameters<typeof policy.shownCall>>
) {
  return policy.shownCall(call, targets, callPhrases, ...more);
}

export function callText(words: Parameters<typeof policy.callText>[0], most: number) {
  return policy.callText(words, most, callPhrases);
}

export function shownText(text: string, most?: number) {
  return policy.shownText(text, callPhrases.marks, most);
}

export function grantOfferFor(
  ...given: Parameters<typeof policy.grantOfferFor> extends [...infer Some, unknown] ? Some : never
) {
  return policy.grantOfferFor(...given, callPhrases);
}
