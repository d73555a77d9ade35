import type { Platform, Sender } from "@talaria/protocol";

/** The name of a person in allow lists and in what the model reads. */
export function principalOf(platform: Platform, sender: Sender): string {
  return `${platform}:user:${sender.userId}`;
}
