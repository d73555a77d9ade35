/**
 * Ends the process of a test file that is still there after twenty minutes, several times as long as the slowest takes: a test whose time is
 * over leaves what it waits for, and one that waits for ever would keep the whole run from its end. The runner itself goes on.
 */
const longestMs = 20 * 60_000;

if (process.env.NODE_TEST_CONTEXT?.startsWith("child"))
  setTimeout(() => {
    console.error(`${process.argv[1]} has not ended within ${longestMs / 60_000} minutes: it is ended`);
    process.exit(1);
  }, longestMs).unref();
