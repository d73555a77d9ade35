import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { grantOfferFor, shownCall } from "./in-english.fixture.ts";
import { decide } from "./index.ts";
import { command, requestOf, tableOf } from "./testing/requests.ts";

function isOffered(text: string): boolean {
  const targets = [command(text)];
  const request = requestOf({ tool: "terminal", effect: "write", role: "member", permissions: ["exec"], targets });
  const call = { callId: "c1", name: request.tool, arguments: JSON.stringify({ command: text }) };
  return grantOfferFor(request, decide(request, tableOf()), shownCall(call, targets)) !== undefined;
}

const others: Readonly<Record<string, readonly string[]>> = {
  "reads what the workspace says to it": [
    ...["git status", "git log", "git diff", "git -c alias.x=!id x", "hg status", "svn status", "gh pr list"],
    ...["less notes.md", "vim -c x notes.md", "file notes.md", "jq . a.json", "curl -s http://127.0.0.1/", "rg x"],
  ],
  "builds or tests what stands in the workspace": [
    ...["pytest", "cargo test", "npm test", "npx x", "yarn test", "pnpm test", "go test ./...", "make", "rake", "tox"],
    ...["mvn test", "gradle build", "just", "ctest", "ninja", "cmake --build .", "dotnet test", "vitest", "jest"],
  ],
  "installs or starts a program of the workspace": [
    ...[
      "composer install",
      "pip install -e .",
      "uv run x",
      "poetry run x",
      "bundle exec x",
      "java -jar x.jar",
      "a.out",
    ],
    ...[
      "./x",
      "bin/x",
      "/bin/ls",
      "bash x",
      "sh x",
      "python3 x.py",
      "node x.js",
      "tsx x.ts",
      "Rscript x.R",
      "julia x.jl",
    ],
  ],
  "compiles or carries out a file": [
    ...[
      "gcc x.c",
      "sqlite3 x .read",
      "psql -f x",
      "sed -f x y",
      "sed 1e y",
      "awk -f x y",
      "tar xf x.tar",
      "find . -exec x",
    ],
  ],
  "starts another program": [
    ...[
      "env ls",
      "timeout 5 ls",
      "nice ls",
      "xargs ls",
      "sudo ls",
      "time ls",
      "command ls",
      "watch ls",
      "split --filter=x y",
    ],
    ...["sort --compress-program=./x y", "sort --comp ./x y", "sort '--compress-program=./x' y", "diff -l a b"],
  ],
  "means what the shell makes of it": [
    ...["cat $F", 'cat "$F"', "cat $1", "ls *.md", "ls ?", "ls [ab]", "cat ~/x", "cat {a,b}", "cat x | wc", "ls; ls"],
    ...[
      "ls && ls",
      "ls &",
      "ls > x",
      "cat < x",
      "cat <<< x",
      "LD_PRELOAD=./x ls",
      "! ls",
      "ls `x`",
      "ls $(x)",
      "ls\nls",
    ],
    ...[
      "ls # x",
      "echo a\\ b",
      'echo "!x"',
      "eval ls",
      "test -v x",
      "printf -v PATH x",
      "printf %n PATH",
      "alias ls=x",
    ],
  ],
  "writes contents where they may be read as settings": [
    ...[
      "cp a b",
      "mv a b",
      "ln -s a b",
      "tee x",
      "dd of=x",
      "sort -o .bashrc x",
      "sort -no x y",
      "uniq a b",
      "shuf -o x y",
    ],
  ],
};

describe("a grant", () => {
  for (const [why, texts] of Object.entries(others))
    for (const text of texts)
      it(`is not offered for ${JSON.stringify(text)}, which ${why}`, () => assert.equal(isOffered(text), false));

  for (const text of [
    ...[
      "ls",
      "ls -la src",
      "cat notes.md",
      "head -n 5 a.csv",
      "tail -20 a.log",
      "wc -l notes.md",
      "date -u +%F",
      "du -sh .",
    ],
    ...["df -h", "stat notes.md", "pwd", "echo hello", "printf '%s\\n' x", "sort -rn --check a.txt", "uniq -c a.txt"],
    ...["cut -d, -f2 a.csv", 'grep -rn "two words" src', "grep '^a' b", "diff -u a b", "cmp a b"],
    ...["sha256sum a.iso", "basename src/a.ts", "realpath .", "mkdir -p out", "touch out/x", "cat Größe.md", "seq 3"],
  ])
    it(`is offered for ${JSON.stringify(text)}`, () => assert.equal(isOffered(text), true));
});
