import manifest from "../package.json" with { type: "json" };

/** Of this release: all packages carry the same one. */
export const { version } = manifest;
