/** All texts that the worker itself sends to people. The reasons why a turn failed are in `@talaria/agent`. */
export const notices = {
  timedOut: "I stopped here because this took too long.",
  crashLoop: "I couldn't finish this: something kept failing. The operator can find the reason in the log.",
} as const;
