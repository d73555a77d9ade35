/**
 * For each process of ours. Less room for young objects, and one thread beside the main one instead of four, keep some
 * 10 MB out of each. `gc` is for what gives memory back. The same everywhere: compiled code is kept per set of flags.
 */
export const nodeFlags = ["--max-semi-space-size=2", "--v8-pool-size=1", "--expose-gc"];
