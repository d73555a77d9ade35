import fc from "fast-check";

/**
 * Property tests try the same values each time, so that a run fails for what was changed. `SEED=1 npm test` tries others. A test
 * file that is run by itself tries new ones each time.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 20_261_123) });
