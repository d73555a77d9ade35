/**
 * Groups of hosts that an operator opens by one word. Each is where its own documents say that a client asks: pip and npm, Cargo, Go,
 * RubyGems and Debian; `git clone` by https and what GitHub sends its files from.
 */
export const networkPresets: Readonly<Record<string, readonly string[]>> = {
  registries: [
    ...["pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "registry.yarnpkg.com"],
    ...["crates.io", "index.crates.io", "static.crates.io", "proxy.golang.org", "sum.golang.org"],
    ...["rubygems.org", "index.rubygems.org", "deb.debian.org", "security.debian.org"],
  ],
  "git-hosts": [
    ...["github.com", "codeload.github.com", "objects.githubusercontent.com", "raw.githubusercontent.com"],
    ...["release-assets.githubusercontent.com", "gitlab.com", "bitbucket.org", "codeberg.org"],
  ],
};

/** The hosts of `sandbox.network`, with those of groups, each once. */
export function hostsOf(network: readonly string[]): readonly string[] {
  return [
    ...new Set(
      network.flatMap((entry) => (Object.hasOwn(networkPresets, entry) ? networkPresets[entry] : entry) ?? []),
    ),
  ];
}
