import type { ToolContext } from "@talaria/agent";
import type { HandedSecret } from "@talaria/foreign-content";
import { GatewayError, isAtLeast, type Role, type Target } from "@talaria/protocol";
import { hostTargets } from "../terminal/command-network.ts";

/** A secret as the model may know of it. */
export interface SecretHandle {
  /** Small letters, digits and `_`. */
  readonly name: string;
  /** Exact ones, reached by https. */
  readonly hosts: readonly string[];
  /** The one that it goes into: `Authorization`. */
  readonly header: string;
  /** Everybody whose words are in a turn has to be at least that. */
  readonly role: Role;
  /** Commands can have it here: the sandbox keeps its value from them. */
  readonly isForCommands: boolean;
  /** For one call. The value in it is for whatever sends a request, and for nobody to see. */
  readonly handOut: () => HandedSecret;
}

/** At least one, whose names a schema lists. */
export type UsableSecrets = readonly [SecretHandle, ...SecretHandle[]];

export function namesOf(usable: UsableSecrets): [string, ...string[]] {
  return usable.map(({ name }) => name) as [string, ...string[]];
}

/** In the order of `usable`. */
export function secretsNamed(names: readonly string[], usable: readonly SecretHandle[]): readonly SecretHandle[] {
  return usable.filter(({ name }) => names.includes(name));
}

export function secretTargets(asked: readonly SecretHandle[]): readonly Target[] {
  return asked.map(({ name, hosts }) => ({ kind: "secret", name, hosts }));
}

/** A command reaches all of their hosts, whatever it asks for there. */
export function commandSecretTargets(asked: readonly SecretHandle[]): readonly Target[] {
  const hosts = new Set(asked.flatMap((one) => one.hosts));
  return [...hostTargets([...hosts]), ...secretTargets(asked)];
}

/** For the model: `secret:github for https://api.github.com, in the header Authorization`. */
export function shownSecrets(usable: readonly SecretHandle[]): string {
  return usable
    .map(({ name, hosts, header }) => `secret:${name} for https://${hosts.join(", https://")}, in the header ${header}`)
    .join("; ");
}

/**
 * Throws `forbidden` where somebody's words are in the turn who may not use one of them. What the model is told was chosen when the turn
 * began, and somebody else may have written since.
 */
export function checkRequesters(
  asked: readonly SecretHandle[],
  { requesters, roles }: Pick<ToolContext, "requesters" | "roles">,
): void {
  const all = requesters.map(
    ({ userId, assurance }): Role => (assurance === "claimed" ? "unverified" : (roles.get(userId) ?? "unverified")),
  );
  for (const { name, role } of asked)
    if (all.length === 0 || !all.every((one) => isAtLeast(one, role)))
      throw new GatewayError(`secret:${name} is not for everybody whose words are in this turn`, {
        code: "forbidden",
        effect: "none",
      });
}
