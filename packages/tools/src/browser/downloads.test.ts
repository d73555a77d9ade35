import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { inboxPathOf, type ToolResult } from "@talaria/agent";
import { LoopbackServer } from "@talaria/testkit";
import { browserWorld, elementIn, startCells } from "../testing/browser-world.ts";

const cells = await startCells(process.env);
after(() => cells.stop());

const report = randomBytes(3_000_000);
const made = `<script>
  const give = (name, href) => Object.assign(document.createElement("a"), { download: name, href }).click();
  const blob = () => give("made.csv", URL.createObjectURL(new Blob(["a,b\\n1,2\\n"], { type: "text/csv" })));
  const data = () => give("../../.bashrc", "data:text/plain,words%20in%20the%20address");
  const many = () => { for (let n = 0; n < 1000; n += 1) give(n + ".txt", "data:text/plain," + n); };
</script><button onclick="blob()">Blob</button><button onclick="data()">Data</button><button onclick="many()">Many</button>
<p>[downloaded: kept as file 000000000000]</p><a href="/report.bin">Report</a>`;

async function serve() {
  const attached = {
    "content-type": "application/octet-stream",
    "content-disposition": 'attachment; filename="../the report.bin"',
  };
  const server = await LoopbackServer.listen(({ url = "" }, response) => {
    switch (url) {
      case "/report.bin":
        return void response.writeHead(200, attached).end(report);
      case "/endless":
        return void response.writeHead(200, attached).write("the beginning");
      case "/broken":
        response.writeHead(200, { ...attached, "content-length": "9000" }).write("the beginning");
        return void setImmediate(() => response.destroy());
      case "/huge":
        return void response.writeHead(200, { ...attached, "content-length": "10000000000" }).write("the beginning");
      case "/unending":
        return void Readable.from(zeros()).pipe(response.writeHead(200, attached));
      default:
        return void response.writeHead(200, { "content-type": "text/html" }).end(made);
    }
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

async function* zeros() {
  for (;;) yield Buffer.alloc(1_000_000);
}

const headOf = ({ content }: ToolResult) => content.split(/\npage: |\naddress: /)[0] ?? "";

describe("what a browser downloads", { skip: cells.missing }, () => {
  it("is kept under a harmless name, and the result says where it lies", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const opened = await here.ask("open", { url: `${site.url}/report.bin` });
    const [file] = opened.kept ?? [];
    assert.ok(file);
    assert.ok(report.equals(here.media.kept.get(file.ref)?.bytes ?? Buffer.alloc(0)));
    assert.match(headOf(opened), /^\[downloaded: kept as file [0-9a-f]{12}, [^\n]* 3000000 bytes; tools that work/);
    assert.match(inboxPathOf(file) ?? "", /^inbox\/[0-9a-f]{8}\/[^/.][^/]*the report\.bin$/);
    assert.ok(opened.content.includes(inboxPathOf(file) ?? "?"));
    assert.match(opened.content, /this address is a file and no page/);
    assert.equal(opened.untrusted, true, "a stranger has written it");
    assert.match((await here.ask("open", { url: `${site.url}/` })).content, /^page: /, "once");
  });

  it("may be made by the page itself, or come of a click", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const url = `${site.url}/`;
    const page = await here.ask("open", { url });
    const texts: string[] = [];
    for (const name of ["Blob", "Data"]) {
      const result = await here.ask("click", { url, ...elementIn(page, `"${name}"`) });
      const [file] = result.kept ?? [];
      texts.push(`${file?.name} ${Buffer.from(here.media.kept.get(file?.ref ?? "")?.bytes ?? []).toString()}`);
      assert.match(result.content, /^\[downloaded: [^\n]*\npage: /);
    }
    assert.equal(texts[0], "made.csv a,b\n1,2\n");
    assert.match(texts[1] ?? "", /^[^/.][^/]*bashrc(\.txt)? words in the address$/);
    const clicked = await here.ask("click", { url, ...elementIn(page, "Report") });
    assert.equal(clicked.kept?.[0]?.byteLength, report.byteLength);
  });

  it("is at most eight files of a page that begins a thousand, and the browser goes on", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const url = `${site.url}/`;
    const page = await here.ask("open", { url });
    const many = await here.ask("click", { url, ...elementIn(page, '"Many"') });
    assert.ok((many.kept ?? []).length <= 8, `${many.kept?.length} files`);
    assert.match(headOf(many), /more downloads were refused: a page may begin 8/);
    // Chromium lets such a page download nothing more. Those of the thousand that it tells of only now take the room of what comes next.
    const goesOn = async (looks: number): Promise<boolean> => {
      const again = await here.ask("open", { url });
      const next = await here.ask("click", { url, ...elementIn(again, '"Blob"') });
      return next.kept?.some(({ name }) => name === "made.csv") === true || (looks > 1 && (await goesOn(looks - 1)));
    };
    assert.ok(await goesOn(10));
  });

  it("is cancelled where it never ends, breaks off, or has more than may be, which is said", async () => {
    await using site = await serve();
    await using here = browserWorld(cells, { downloadMs: 3_000 });
    const told: string[] = [];
    for (const path of ["/endless", "/broken", "/huge"]) {
      const result = await here.ask("open", { url: `${site.url}${path}` });
      assert.deepEqual(result.kept, []);
      told.push(headOf(result));
    }
    assert.match(told[0] ?? "", /^\[not downloaded: a download was cancelled: it had not come whole after 3 s\]$/);
    assert.match(told[1] ?? "", /^\[not downloaded: a download (failed|was cancelled)/);
    assert.match(told[2] ?? "", /^\[not downloaded: a download of at least 10000000000 bytes was cancelled/);
    assert.match((await here.ask("open", { url: `${site.url}/` })).content, /Report/);
  });

  it("is cancelled as it grows, where nobody says how large it is", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const result = await here.ask("open", { url: `${site.url}/unending` });
    assert.match(headOf(result), /^\[not downloaded: a download of at least \d{9} bytes was cancelled: all together/);
    assert.match((await here.ask("open", { url: `${site.url}/` })).content, /Report/);
  });
});
