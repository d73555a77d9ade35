import { importsOf } from "./imports.ts";
import { isTest, type SourceFile, type Workspace } from "./repository.ts";

const fileName = /^[\w./-]+\.(?:ts|sql|js|mjs|css|html)$/;
const folderName = /^[\w-][\w./-]*\/$/;
/** A name, also of a member, a call or a table of SQL. Words with spaces, signs or hyphens are values, commands and settings. */
const identifier = /^([A-Za-z_$][\w$]*)(?:\.[A-Za-z_$][\w$]*)*(?:\(.*\))?$/;
/** Of libraries: what our code does not call, and says so. */
const ofLibraries: ReadonlySet<string> = new Set(["startClient", "verifySlackRequest"]);

/**
 * What a package's README names in backticks and the package doesn't have: files, folders and identifiers. A paragraph that names
 * another package may speak of what is there.
 */
export function staleNames(readme: SourceFile, folder: string, files: readonly SourceFile[]): readonly string[] {
  const own = partsIn(folder, files);
  const isFolder = (name: string) =>
    files.some(({ path }) => ["", "packages/", "apps/"].some((parent) => path.startsWith(`${parent}${name}/`)));
  const isVariable = (name: string) => /^[A-Z][A-Z0-9_]+$/.test(name) && partsIn("apps", files).has(name);
  return paragraphsOf(readme.text).flatMap((paragraph) => {
    const others = foldersIn(paragraph).filter((other) => other !== folder);
    const isKnown = (name: string) =>
      own.has(name) || others.some((other) => partsIn(other, files).has(name)) || isFolder(name) || isVariable(name);
    return quotedIn(paragraph)
      .filter((name) => !ofLibraries.has(name))
      .filter((name) => !/^(?:apps|packages|config|docs|tests|scripts|src)\//.test(name))
      .filter((name) => fileName.test(name) || folderName.test(name) || identifier.test(name))
      .filter((name) => !isKnown(name))
      .map((name) => `${readme.path}: ${name}`);
  });
}

interface Parts {
  has(name: string): boolean;
}

const known = new WeakMap<readonly SourceFile[], Map<string, Parts>>();

/** What a folder holds by name: its files, and every word of its code. */
function partsIn(folder: string, files: readonly SourceFile[]): Parts {
  const perFolder = known.get(files) ?? new Map<string, Parts>();
  known.set(files, perFolder);
  const parts = perFolder.get(folder) ?? readParts(files.filter(({ path }) => path.startsWith(`${folder}/`)));
  perFolder.set(folder, parts);
  return parts;
}

function readParts(files: readonly SourceFile[]): Parts {
  const code = files.filter(({ path }) => /\.(?:ts|sql|js|json)$/.test(path) && !path.endsWith(".test.ts"));
  const words = new Set(code.flatMap(({ text }) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  return {
    has: (name) => {
      if (fileName.test(name)) return files.some(({ path }) => path.endsWith(`/${name}`));
      if (folderName.test(name)) return files.some(({ path }) => path.includes(`/${name}`));
      return words.has(identifier.exec(name)?.[1] ?? "");
    },
  };
}

function paragraphsOf(text: string): readonly string[] {
  return text.replace(/^```[\s\S]*?^```/gm, "").split(/\n\s*\n|\n(?=\s*[-|])/);
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = ""]) => inner);
}

/** Folders of the packages that a text names, by folder or by name. */
function foldersIn(text: string): readonly string[] {
  const folders = [...text.matchAll(/\b(?:packages\/(?:adapters\/)?|apps\/)[\w-]+/g)].map(([folder]) => folder);
  const names = [...text.matchAll(/@talaria\/([\w-]+)/g)].map(([, name = ""]) => folderOf(name));
  return [...folders, ...names];
}

function folderOf(name: string): string {
  if (name.startsWith("app-")) return `apps/${name.slice("app-".length)}`;
  const isPlatform = name.startsWith("adapter-") && name !== "adapter-kit";
  return isPlatform ? `packages/adapters/${name.slice("adapter-".length)}` : `packages/${name}`;
}

/** The READMEs of the workspaces that have one. */
export function readmesOf(
  workspaces: readonly Workspace[],
  files: readonly SourceFile[],
): readonly (readonly [SourceFile, Workspace])[] {
  return workspaces.flatMap((workspace) => {
    const readme = files.find(({ path }) => path === `${workspace.folder}/README.md`);
    return readme === undefined ? [] : [[readme, workspace] as const];
  });
}

/**
 * Importers of a package that its README leaves out, and those that it names and that import nothing. Where it has no sentence about who
 * imports it, nothing is said.
 */
export function importerFaults(
  readme: SourceFile,
  { name, folder }: Workspace,
  all: readonly Workspace[],
): readonly string[] {
  const sentences = readme.text.split(/(?<=[.;])\s+/).filter((one) => /\bimports?\s+it\b|\bimported by\b/i.test(one));
  if (sentences.length === 0 || /every package|\bnever import/.test(sentences.join(" "))) return [];
  const said = new Set(sentences.flatMap((sentence) => namedFolders(sentence, all)));
  const covered = groupsIn(sentences.join(" "));
  const actual = all.filter((one) => one.folder !== folder && importsAny(one, name)).map((one) => one.folder);
  return [
    ...actual
      .filter((one) => !said.has(one) && !covered.some((group) => one.startsWith(group)))
      .map((one) => `${readme.path} does not say that ${one} imports it`),
    ...[...said].filter((one) => !actual.includes(one)).map((one) => `${readme.path} says that ${one} imports it`),
  ];
}

/** "The adapters" and `apps` stand for those of them that do. */
function groupsIn(text: string): readonly string[] {
  const groups = [
    [/\badapters\b/i, "packages/adapters/"],
    [/`apps\/?`/, "apps/"],
  ] as const;
  return groups.flatMap(([words, group]) => (words.test(text) ? [group] : []));
}

/** `packages/x`, or `x` alone. */
function namedFolders(sentence: string, all: readonly Workspace[]): readonly string[] {
  const exact = quotedIn(sentence).map((name) => (name.includes("/") ? name : `packages/${name}`));
  return all.map(({ folder }) => folder).filter((folder) => exact.includes(folder));
}

function importsAny({ sources }: Workspace, name: string): boolean {
  return sources.some(
    ({ path, text }) =>
      !isTest(path) && importsOf(text).some(({ specifier }) => specifier === name || specifier.startsWith(`${name}/`)),
  );
}
