/**
 * Runs tasks of one key strictly one after the other; keys don't wait for each other. When a task fails, those that
 * already wait behind it fail with the same error: a later event must not overtake an earlier one that is redelivered.
 */
export function createOrderedRunner(): <Result>(key: string, task: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = tails.get(key);
    const mine = before === undefined ? task() : before.then(task);
    tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === mine) tails.delete(key);
    }
  };
}
