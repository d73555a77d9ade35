/** Everything that people read and the worker writes by itself. The reasons why a turn failed stand in `@talaria/agent`. */
export const notices = {
  timedOut: "I stopped here because this took too long.",
  crashLoop: "I couldn't finish this: something kept failing. The operator can find the reason in the log.",
} as const;
