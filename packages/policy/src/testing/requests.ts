import type { Target } from "@talaria/protocol";
import { type PolicyRequest, policyTable, type RuleSettings } from "../index.ts";

/** A read that touches nothing, by an owner in a direct conversation, changed by `more`. */
export function requestOf(more: Partial<PolicyRequest> = {}): PolicyRequest {
  return {
    tool: "t",
    effect: "read",
    permissions: [],
    targets: [],
    place: "direct",
    role: "owner",
    isTainted: false,
    ...more,
  };
}

export function command(
  text: string,
  more: { readonly hasNetwork?: boolean; readonly isSandboxed?: boolean } = {},
): Target {
  return { kind: "command", command: text, isSandboxed: true, hasNetwork: false, ...more };
}

export function url(text: string, more: { readonly sendsBody?: boolean; readonly isKnown?: boolean } = {}): Target {
  return { kind: "url", url: text, sendsBody: false, ...more };
}

export function recipient(text: string, isOrigin = false): Target {
  return { kind: "recipient", recipient: text, isOrigin };
}

export function path(text: string, isInWorkspace = true): Target {
  return { kind: "path", path: text, isInWorkspace };
}

export function tableOf(rules: readonly RuleSettings[] = [], trusted: readonly string[] = []) {
  return policyTable({ rules, trusted });
}
