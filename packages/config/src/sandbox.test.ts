import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfig, loadConfig } from "./load-config.ts";
import { formatProblem } from "./problem.ts";
import { hostsOf } from "./schema/network-presets.ts";

const options = { file: "c.yaml", env: {} };
const fingerprint = `SHA256:${"aB3+/".repeat(9).slice(0, 43)}`;

/** An OpenSSH private key whose contents begin with this cipher's name. */
function opensshKey(cipher: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(cipher.length);
  const body = Buffer.concat([Buffer.from("openssh-key-v1\0"), length, Buffer.from(cipher), Buffer.alloc(90, 7)]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----`;
}

function hostKey(type: string): string {
  const length = Buffer.from([0, 0, 0, type.length]);
  return Buffer.concat([length, Buffer.from(type), Buffer.alloc(36, 5)]).toString("base64");
}

const ssh = {
  host: "build.example.org",
  user: "agent",
  key: opensshKey("none"),
  hostKey: fingerprint,
};

function text(change: object = {}, more = "backend: ssh, folder: /srv/talaria"): string {
  return `sandbox: { ${more}, ssh: ${JSON.stringify({ ...ssh, ...change })} }\n`;
}

function problems(config: string): readonly string[] {
  const { problems: found, loaded } = checkConfig(config, options);
  assert.equal(loaded, undefined);
  return found.map(formatProblem).map((line) => line.replace(/^c\.yaml:\d+:\d+ /, ""));
}

describe("another machine for commands", () => {
  it("is read, with a fingerprint or the key itself, and its private key is a secret", () => {
    const { sandbox } = loadConfig(text(), options).config;
    assert.equal(sandbox.ssh?.key.reveal(), ssh.key);
    assert.deepEqual(JSON.parse(JSON.stringify(sandbox.ssh)), { ...ssh, key: "[secret]", port: 22 });
    const whole = `ssh-ed25519 ${hostKey("ssh-ed25519")} root@build\n`;
    assert.equal(loadConfig(text({ hostKey: whole }), options).config.sandbox.ssh?.hostKey, whole);
  });

  it("takes its key from a file", () => {
    const { loaded } = checkConfig(text({ key: { file: "id" } }), { ...options, readSecret: () => ssh.key });
    assert.equal(loaded?.config.sandbox.ssh?.key.reveal(), ssh.key);
  });

  const bad: readonly (readonly [what: string, config: string, says: RegExp])[] = [
    ["no machine", "sandbox: { backend: ssh, folder: /w }\n", /^sandbox\.ssh: is required .*hostKey/],
    ["no folder", text({}, "backend: ssh"), /^sandbox\.folder: is required .*on the other machine/],
    ["a machine that isn't used", text({}, "backend: sandbox"), /^sandbox\.ssh: goes with `backend: ssh` alone/],
    ["no host key", text({ hostKey: undefined }), /^sandbox\.ssh\.hostKey: is required/],
    ["a fingerprint of MD5", text({ hostKey: "MD5:aa:bb" }), /^sandbox\.ssh\.hostKey: .*SHA256.*ssh-keygen -lf/],
    ["a short fingerprint", text({ hostKey: "SHA256:abc" }), /^sandbox\.ssh\.hostKey: must be a fingerprint/],
    [
      "a host key of another type",
      text({ hostKey: `ssh-rsa ${hostKey("ssh-ed25519")}` }),
      /^sandbox\.ssh\.hostKey: must/,
    ],
    [
      "a line of known_hosts",
      text({ hostKey: `host ssh-ed25519 ${hostKey("ssh-ed25519")}` }),
      /^sandbox\.ssh\.hostKey: must/,
    ],
    [
      "the path of a key",
      text({ key: "~/.ssh/id_ed25519" }),
      /^sandbox\.ssh\.key: is not a private key.*\{ file: path \}/,
    ],
    [
      "a public key",
      text({ key: `ssh-ed25519 ${hostKey("ssh-ed25519")}` }),
      /^sandbox\.ssh\.key: is not a private key/,
    ],
    ["a locked key", text({ key: opensshKey("aes256-ctr") }), /^sandbox\.ssh\.key: needs a passphrase.*ssh-keygen -p/],
    [
      "a locked key of the old form",
      text({ key: "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----" }),
      /^sandbox\.ssh\.key: needs a passphrase/,
    ],
    [
      "half a key",
      text({ key: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----" }),
      /^sandbox\.ssh\.key: is a damaged private key/,
    ],
    ["an address with an account", text({ host: "agent@build" }), /^sandbox\.ssh\.host: must be a host name/],
    ["an account with a host", text({ user: "agent@build" }), /^sandbox\.ssh\.user: must be the name of an account/],
    ["a network list", text({}, "backend: ssh, folder: /w, network: [example.org]"), /^sandbox\.network: goes with/],
  ];
  for (const [what, config, says] of bad)
    it(`is refused with ${what}, by the name of the field and what to do`, () => {
      const [first = "", ...rest] = problems(config);
      assert.match(first, says);
      assert.deepEqual(rest, []);
      assert.ok(!first.includes("b3BlbnNzaC1rZXk") && !first.includes("AAAAC3"));
    });
});

describe("the author of commits", () => {
  it("has a name and an address, each on one line", () => {
    const author = { name: "Ada Lovelace", email: "ada@example.org" };
    const { sandbox } = loadConfig(`sandbox: { author: ${JSON.stringify(author)} }\n`, options).config;
    assert.deepEqual(sandbox.author, author);
    const bad: readonly (readonly [author: object, says: RegExp])[] = [
      [{ name: "Ada" }, /^sandbox\.author\.email: is required/],
      [{ ...author, name: "Ada\n[core]" }, /^sandbox\.author\.name: must be 1 to 100 characters on one line/],
      [{ ...author, email: "<ada@example.org>" }, /^sandbox\.author\.email: must be 1 to 100 characters .* without </],
      [{ ...author, name: "" }, /^sandbox\.author\.name: must be 1 to 100 characters/],
    ];
    for (const [given, says] of bad)
      assert.match(problems(`sandbox: { author: ${JSON.stringify(given)} }\n`).join(), says);
  });
});

describe("the authors of commits that are made for people", () => {
  it("are named by ids, with the same words as the agent's own", () => {
    const ada = { name: "Ada Lovelace", email: "ada@example.org" };
    const authors = (given: object) => `sandbox: { authors: ${JSON.stringify(given)} }\n`;
    const { sandbox } = loadConfig(authors({ "telegram:user:42": ada }), options).config;
    assert.deepEqual(sandbox.authors, { "telegram:user:42": ada });
    assert.deepEqual(loadConfig("", options).config.sandbox.authors, {});
    for (const [given, says] of [
      [
        { ada },
        /^sandbox\.authors\.ada: must be named by an id such as `telegram:user:123456`, which `\/whoami` tells/,
      ],
      [
        { "telegram:user:42": { ...ada, name: "A\nB" } },
        /^sandbox\.authors\.\S+name: must be 1 to 100 characters on one line/,
      ],
    ] as const)
      assert.match(problems(authors(given)).join(), says);
  });
});

describe("virtual machines of E2B for commands", () => {
  it("need a key, which is a secret", () => {
    const { sandbox } = loadConfig("sandbox: { backend: e2b, e2b: { apiKey: e2b_0123 } }\n", options).config;
    assert.equal(sandbox.e2b?.apiKey.reveal(), "e2b_0123");
    assert.deepEqual(JSON.parse(JSON.stringify(sandbox.e2b)), {
      apiKey: "[secret]",
      template: "base",
      label: "talaria",
    });
  });

  const bad: readonly (readonly [what: string, config: string, says: RegExp])[] = [
    ["no account", "sandbox: { backend: e2b }\n", /^sandbox\.e2b: is required for `e2b`: a mapping with `apiKey`/],
    ["no key", "sandbox: { backend: e2b, e2b: {} }\n", /^sandbox\.e2b\.apiKey: is required/],
    [
      "an account that isn't used",
      "sandbox: { e2b: { apiKey: k } }\n",
      /^sandbox\.e2b: goes with `backend: e2b` alone/,
    ],
    [
      "a label with a space",
      "sandbox: { backend: e2b, e2b: { apiKey: k, label: a b } }\n",
      /^sandbox\.e2b\.label: must/,
    ],
  ];
  for (const [what, config, says] of bad)
    it(`are refused with ${what}`, () => {
      const [first = "", ...rest] = problems(config);
      assert.match(first, says);
      assert.deepEqual(rest, []);
    });
});

describe("sandboxes of Modal for commands", () => {
  it("need a token, both parts of which are secrets", () => {
    const written = "sandbox: { backend: modal, modal: { tokenId: ak-01, tokenSecret: as-01 } }\n";
    const { modal } = loadConfig(written, options).config.sandbox;
    assert.deepEqual([modal?.tokenId.reveal(), modal?.tokenSecret.reveal()], ["ak-01", "as-01"]);
    assert.deepEqual(JSON.parse(JSON.stringify(modal)), {
      ...{ tokenId: "[secret]", tokenSecret: "[secret]", app: "talaria", image: "debian:12" },
    });
  });

  const bad: readonly (readonly [what: string, config: string, says: RegExp])[] = [
    ["no account", "{ backend: modal }", /^sandbox\.modal: is required for `modal`: a mapping with `tokenId`/],
    ["no secret", "{ backend: modal, modal: { tokenId: a } }", /^sandbox\.modal\.tokenSecret: is required/],
    ["an unused account", "{ modal: { tokenId: a, tokenSecret: b } }", /^sandbox\.modal: goes with `backend: modal`/],
    [
      "an app with a space",
      "{ backend: modal, modal: { tokenId: a, tokenSecret: b, app: a b } }",
      /^sandbox\.modal\.app: must/,
    ],
  ];
  for (const [what, config, says] of bad)
    it(`are refused with ${what}`, () => {
      const [first = "", ...rest] = problems(`sandbox: ${config}\n`);
      assert.match(first, says);
      assert.deepEqual(rest, []);
    });
});

describe("secrets of commands", () => {
  const write = (secret: string, more = "network: [api.github.com, '*.example.org', 'git.example.com:8443']") =>
    `sandbox: { ${more}, secrets: { github: { value: ghp_0123456789, ${secret} } } }\n`;

  it("are for the hosts that they name, and print as nothing", () => {
    const { sandbox } = loadConfig(write("host: api.github.com"), options).config;
    assert.equal(sandbox.secrets.github?.value.reveal(), "ghp_0123456789");
    assert.deepEqual(JSON.parse(JSON.stringify(sandbox.secrets)), {
      github: {
        ...{ value: "[secret]", host: ["api.github.com"], header: "Authorization" },
        ...{ template: "Bearer {value}", role: "owner" },
      },
    });
    const more = "host: [a.b.example.org, 'git.example.com:8443'], header: X-Key, template: '{value}', role: member";
    const { header, host } = loadConfig(write(more), options).config.sandbox.secrets.github ?? {};
    assert.deepEqual([header, host], ["X-Key", ["a.b.example.org", "git.example.com:8443"]]);
  });

  it("are for any backend and host, since more than commands has them", () => {
    for (const more of ["network: []", "backend: docker, image: x", "backend: 'off'"])
      assert.doesNotThrow(() => loadConfig(write("host: github.com", more), options), more);
  });

  const at = "sandbox\\.secrets\\.github\\.";
  const bad: readonly (readonly [what: string, config: string, says: string])[] = [
    ["a host for many", write("host: '*.example.org'"), `${at}host.*must be one host`],
    ["a whole registry's names", write("host: '*.com'"), `${at}host.*must be one host`],
    ["an address", write("host: 10.0.0.1"), `${at}host.*must be a name: an address`],
    ["an address of IPv6", write("host: '[::1]'"), `${at}host.*must be a name`],
    ["this machine", write("host: localhost"), `${at}host.*must be a host such as`],
    ["http", write("host: 'http://api.github.com'"), `${at}host.*without .https`],
    ["a header of framing", write("host: api.github.com, header: Host"), `${at}header: is a header that no secret`],
    ["no place for the value", write("host: api.github.com, template: Bearer"), `${at}template: must have .{value}`],
    ["a guest", write("host: api.github.com, role: guest"), `${at}role`],
    ["a short value", write("host: api.github.com").replace("ghp_0123456789", "abc"), `${at}value: must be 8 to 8192`],
    ["a name with a hyphen", write("host: api.github.com").replace("github:", "git-hub:"), "sandbox\\.secrets"],
  ];
  for (const [what, config, says] of bad)
    it(`are refused with ${what}, by the name of the field and what to do`, () => {
      const found = problems(config);
      assert.match(found[0] ?? "", new RegExp(`^${says}`));
      assert.ok(!found.join().includes("ghp_0123456789"));
    });
});

describe("hosts for commands", () => {
  it("are names, stars and groups, which stand for their hosts", () => {
    const { network } = loadConfig("sandbox: { network: [git-hosts, '*.example.org', github.com] }\n", options).config
      .sandbox;
    const hosts = hostsOf(network);
    assert.ok(hosts.includes("codeload.github.com") && hosts.includes("*.example.org") && !hosts.includes("git-hosts"));
    assert.equal(hosts.filter((host) => host === "github.com").length, 1);
    assert.ok(hostsOf(["registries"]).includes("files.pythonhosted.org"));
    assert.deepEqual(hostsOf(["constructor"]), ["constructor"]);
    const secret = "secrets: { github: { value: ghp_0123456789, host: github.com } }";
    assert.doesNotThrow(() => loadConfig(`sandbox: { network: [git-hosts], ${secret} }\n`, options));
  });
});
