import assert from "node:assert/strict";
import { it } from "node:test";
import { leavesNothing } from "./leaves-nothing.ts";

it("tells commands that may run beside others from those that the next one may build on", () => {
  const alone = [
    "sleep 2; date",
    "ls -la src && cat a.txt | grep -n x",
    "pytest -x 2>&1 | tail -20",
    "python3 check.py >/dev/null 2>&1",
    "curl -sS https://example.org",
    "find . -name '*.ts' 2>/dev/null",
    'node -e "console.log(1)"',
    "",
  ];
  const inLine = [
    "cd src",
    "cd src && ls",
    "echo a; V=1",
    "export V=1",
    ". ./env",
    "ls;. ./env",
    "f() { echo; }",
    "python3 -m http.server &",
    "echo x > a.txt",
    "echo x >>a.txt",
    "sort -o out in",
    "sed -i s/a/b/ x",
    "curl -O https://example.org/x",
    "mkdir -p a/b",
    "/bin/rm -rf a",
    "git commit -m x",
    "npm ci",
    "$(cd a; ls)",
    "make >/dev/null",
  ];
  assert.deepEqual(
    alone.filter((command) => !leavesNothing(command)),
    [],
  );
  assert.deepEqual(inLine.filter(leavesNothing), []);
});
