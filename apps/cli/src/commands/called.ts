import { plainName } from "@talaria/protocol";
import type { KnownPerson } from "./everybody.ts";

export type PersonName = Pick<KnownPerson, "accountId" | "userId" | "displayName" | "handle" | "username">;

/** By handle, id, principal, username or name, in any case and without regard to accents. */
export function isCalled({ handle, accountId, userId, displayName, username }: PersonName, who: string): boolean {
  const wanted = who.trim().toLowerCase();
  const principal = wanted.split(":").slice(2).join(":");
  const id = userId.toLowerCase();
  const name = plainName(who);
  return (
    handle.toLowerCase() === wanted ||
    `${accountId}/${id}` === wanted ||
    id === wanted ||
    id === principal ||
    (name !== "" && (plainName(displayName) === name || withoutSign(username) === withoutSign(name)))
  );
}

/** A name or username as it is compared. */
export function withoutSign(name = ""): string {
  return plainName(name).replace(/^@/, "");
}
