/**
 * For each of our processes. Less room for young objects, and one thread besides the main one instead of four, save some 10
 * MB in each. `compactWhenIdle` needs `gc`. The flags are the same everywhere because compiled code is kept per set of
 * flags.
 */
export const nodeFlags = ["--max-semi-space-size=2", "--v8-pool-size=1", "--expose-gc"];
