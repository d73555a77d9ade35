import { handOut } from "@talaria/foreign-content";
import { brandAs, type Role, type Sender } from "@talaria/protocol";
import type { SecretHandle } from "../secrets/secret-handle.ts";

/** What nobody but its host may see. */
export const canary = "canary/+value=0123456789abcdef";

/** A secret of the operator's with that value, for the `Authorization` of its hosts. */
export function secretFor(name: string, role: Role, hosts: readonly string[] = ["api.example.org"]): SecretHandle {
  const settings = { name, hosts, header: "authorization", template: "Bearer {value}", value: canary };
  return {
    ...{ name, hosts, header: "Authorization", role, isForCommands: true },
    handOut: () => handOut(settings),
  };
}

/** Somebody with that role has asked. */
export function askedBy(role: Role) {
  const sender: Sender = { userId: brandAs("u"), role: "person", displayName: "U", assurance: "platform" };
  return { requesters: [sender], roles: new Map([[sender.userId, role]]) };
}
