import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shownWork } from "./shown-work.ts";

const most = 400;
const random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6";

describe("what people read of work", () => {
  for (const shape of [
    ...[`ghp_${random}`, `github_pat_${random}`, `glpat-${random}`, `xoxb-1234567890-${random}`, `xapp-1-${random}`],
    ...[`sk-ant-api03-${random}`, `sk-proj-${random}`, `sk_live_${random}`, `AKIA${random.toUpperCase().slice(0, 16)}`],
    ...[
      `AIzaSy${random}`,
      `npm_${random}`,
      `pypi-${random}`,
      `hf_${random}`,
      `dop_v1_${random}`,
      `1234567890:AA${random}`,
    ],
    ...[`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${random}`, `SG.${random}.${random}`],
  ])
    it(`has stars for a token of a known shape: ${shape.slice(0, 8)}`, () => {
      for (const command of [
        `echo ${shape} | wc`,
        `curl "https://a.org/?t=${shape}"`,
        `X='${shape}' run`,
        `-H "K: ${shape}"`,
      ])
        assert.equal(shownWork(`running ${command}`, most), `running ${command.replace(shape, "***")}`);
    });

  const words: Readonly<Record<string, string>> = {
    'curl -H "Authorization: Bearer hunter22"': 'curl -H "Authorization: Bearer ***"',
    "curl -H 'Authorization: Basic bWU6aHVudGVyMjI='": "curl -H 'Authorization: Basic ***'",
    "curl -u me:hunter22 https://a.org": "curl -u me:*** https://a.org",
    'curl --user "me:hunter22" a.org': 'curl --user "me:***" a.org',
    "git clone https://me:hunter22@a.org/x.git": "git clone https://me:***@a.org/x.git",
    "psql postgres://u:p%40ss@db/x": "psql postgres://u:***@db/x",
    "DB_PASSWORD=hunter22 npm test": "DB_PASSWORD=*** npm test",
    "mysql --password=hunter22": "mysql --password=***",
    "login --token hunter22 now": "login --token *** now",
    "echo 'api_key: \"hunter22\"'": "echo 'api_key: \"***\"'",
  };
  for (const [command, shown] of Object.entries(words))
    it(`has stars for what stands where a secret stands: ${command}`, () =>
      assert.equal(shownWork(command, most), shown));

  for (const command of [
    ...[
      "npm test",
      "git clone https://github.com/a/b.git",
      'curl -H "Authorization: Bearer $TALARIA_SECRET_GITHUB" https://a.org',
    ],
    ...[
      "grep -rn token src",
      "password reset",
      "ls -la --sort=size",
      "DB_PASSWORD=$SECRET npm test",
      "reading docs/sk-learn.md",
    ],
    ...["docker run -u 1000:1000 x", "tokenize.py --out a:b", "ssh me@host:22"],
  ])
    it(`stays as it is: ${command}`, () => assert.equal(shownWork(command, most), command));

  it("is read in time that grows with it alone, and cut after tokens are found", () => {
    const counted = (text: string) => {
      for (let n = 0; n < 20; n += 1) shownWork(text, 80);
    };
    for (const piece of ["password", "a:", "://", "-u a", "bearer ", "eyJaaaaaaaa.", " token=", "0"])
      counted(piece.repeat(100_000 / piece.length));
    assert.equal(shownWork(`echo ${"x".repeat(70)} ghp_${random}`, 80), `echo ${"x".repeat(70)} ***`);
  });
});
