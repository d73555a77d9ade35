import manifest from "../package.json" with { type: "json" };

/** The version of this release: all packages have the same one. */
export const { version } = manifest;
