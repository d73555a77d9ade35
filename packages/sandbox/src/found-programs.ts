import type { Workspace } from "@talaria/agent";

/** Those whose version matters to whoever writes for them, by what they are called. */
const withVersion = [
  ["bash", "bash"],
  ["python3", "Python"],
  ["node", "Node.js"],
  ["git", "git"],
] as const;

const others = [
  ["npm", "npm"],
  ["pip3", "pip"],
  ["gcc", "gcc"],
  ["make", "make"],
  ["go", "Go"],
  ["cargo", "Rust"],
  ["java", "Java"],
  ["rg", "ripgrep"],
  ["jq", "jq"],
  ["sqlite3", "sqlite3"],
  ["pandoc", "pandoc"],
  ["ffmpeg", "ffmpeg"],
  ["convert", "ImageMagick"],
  ["pdftotext", "pdftotext"],
  ["soffice", "LibreOffice"],
  ["zip", "zip"],
] as const;

const script = [
  ...withVersion.map(([program]) => `echo "${program} $(${program} --version 2>/dev/null | head -n 1)"`),
  ...others.map(([program]) => `command -v ${program} >/dev/null 2>&1 && echo ${program}`),
  "true",
].join("\n");

/**
 * Which well-known programs commands find, as people call them: `Python 3.11.2`. What a program prints decides nothing but the
 * digits of its version. Never rejects; none are found where a look takes too long.
 */
export async function foundPrograms(workspace: Workspace): Promise<readonly string[]> {
  const limits = { timeoutMs: 10_000, signal: new AbortController().signal, maxOutputChars: 4_000 };
  const looked = await workspace.exec({ command: script }, limits).catch(() => undefined);
  if (looked?.end.kind !== "exit") return [];
  const lines = looked.output.split("\n");
  return [
    ...withVersion.flatMap(([program, name]) => {
      const line = lines.find((one) => one.startsWith(`${program} `)) ?? "";
      const [version] = /(?<![\d.])\d{1,4}(?:\.\d{1,4}){1,2}/.exec(line) ?? [];
      return version === undefined ? [] : [`${name} ${version}`];
    }),
    ...others.flatMap(([program, name]) => (lines.includes(program) ? [name] : [])),
  ];
}
