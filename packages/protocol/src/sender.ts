import type { UserId } from "./ids.ts";

/** How the gateway knows who sent an event. Tools with side effects check this before they run. */
export type Assurance =
  /** The platform authenticated the account. */
  | "platform"
  /** A signature over the payload verified: webhook HMAC, or aligned DKIM on a mail. */
  | "signed"
  /** Only claimed by the payload, for example a bare `From:` header. */
  | "claimed";

/** What the operator lets a webhook's route do, as its configuration says. */
export interface Mandate {
  /** `<platform>:user:<id>`: the owner on whose behalf it acts. */
  readonly owner: string;
  /** The only tools that its turns have besides those of everybody: see `toolsetsOfRoutes`. */
  readonly toolsets: readonly string[];
}

/** Who wrote an event. `userId` decides; `displayName` and `handle` are what the person chose to show. */
export interface Sender {
  readonly userId: UserId;
  readonly role: "person" | "bot" | "self" | "system" | "unknown";
  readonly displayName: string;
  readonly handle?: string;
  /** BCP 47, as the platform tells it. Absent: not known. */
  readonly language?: string;
  readonly assurance: Assurance;
  /** Of a webhook's route that acts for an owner: see `mandateOf`. */
  readonly mandate?: Mandate;
}
