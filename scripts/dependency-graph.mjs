/** Packages that name their licence in the old form, `licenses`, which lock files leave out. */
const oldForm = { ssh2: "MIT", "cpu-features": "MIT", buildcheck: "MIT" };

/**
 * The packages of a lock file that production code installs, by their place: `node_modules/pg`. Without `left`, those that
 * nothing but that package needs are missing too.
 * @param {{ packages: Record<string, any> }} lock @param {string} [left] the name of a package
 * @returns {Map<string, { name: string, version: string, license: string }>}
 */
export function productionPackages({ packages }, left) {
  const found = new Map();
  const waiting = Object.keys(packages).filter((place) => place !== "" && !place.includes("node_modules/"));
  for (const place of waiting) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[place];
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !isOptional(name, peerDependenciesMeta, packages),
    );
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const next = name === left ? undefined : placeOf(name, place, packages);
      if (next === undefined || found.has(next) || packages[next].link) continue;
      const installed = next.slice(next.lastIndexOf("node_modules/") + 13);
      const { version, license = oldForm[installed] ?? "unknown" } = packages[next];
      found.set(next, { name: installed, version, license });
      waiting.push(next);
    }
  }
  return found;
}

/** An optional peer counts when it is installed for production. */
function isOptional(name, meta, packages) {
  const installed = packages[`node_modules/${name}`];
  return meta?.[name]?.optional === true && (installed === undefined || installed.dev === true);
}

/** Where Node.js would find a package: beside the one that asks, or in a folder above. */
function placeOf(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}
