/**
 * Writes `NOTICE`: every package that production code installs, and its licence, as package-lock.json has them. With
 * `--check` nothing is written, and the exit code is 1 when the file is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { productionPackages } from "./dependency-graph.mjs";

/** What packages bring under another licence than their own, which no lock file says, by the name of the package. */
const brought = {
  tldts: `contains the Public Suffix List, in a form of its own (https://publicsuffix.org/list/public_suffix_list.dat).
The list is subject to the terms of the Mozilla Public License 2.0: https://mozilla.org/MPL/2.0/.`,
};

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
const file = new URL("../NOTICE", import.meta.url);
const wanted = noticeOf(productionPackages(lock));

if (!process.argv.includes("--check")) writeFileSync(file, wanted);
else if (readNotice() !== wanted) {
  console.error("NOTICE is out of date: run node scripts/notice.mjs");
  process.exitCode = 1;
}

function readNotice() {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** @param {Map<string, { name: string, version: string, license: string }>} packages */
function noticeOf(packages) {
  const byLicence = Map.groupBy(packages.values(), ({ license }) => license);
  const groups = [...byLicence].sort(([one], [other]) => (one < other ? -1 : 1));
  const sections = groups.map(([licence, members]) => {
    const names = [...new Set(members.map(({ name, version }) => `  ${name} ${version}`))].sort();
    return `${licence}\n\n${names.join("\n")}\n`;
  });
  return `Talaria
MIT licence, see LICENSE.

Talaria installs the packages below; none of them is part of this repository. Each brings the text of its licence in its folder
in node_modules. Packages for other systems than the one they are installed on are listed too. Written by scripts/notice.mjs from
package-lock.json.

${sections.join("\n")}${broughtBy(packages)}`;
}

/** @param {Map<string, { name: string, version: string }>} packages */
function broughtBy(packages) {
  const told = [...packages.values()].filter(({ name }) => Object.hasOwn(brought, name));
  return told.map(({ name, version }) => `\n${name} ${version} ${brought[name]}\n`).join("");
}
