import type { SessionSummary } from "@talaria/store";

/** What `talaria retry` says where it found nothing to do. `session` is as it was before. */
export function nothingToRetry({ setAsideAt, waiting, running }: SessionSummary): string {
  if (setAsideAt !== undefined) return "no message was dropped when the session was given up; it answers the next one";
  const works = waiting > 0 || running;
  const now = works ? "; it is at work, and `talaria status` tells if it gets stuck" : "";
  return `nothing to retry: this session was not given up, and none of its answers was. One that waits for its platform is tried again by itself${now}`;
}
