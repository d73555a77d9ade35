import assert from "node:assert/strict";
import { it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { brandAs, instantOf } from "@talaria/protocol";
import { isKnownAddress } from "./known-addresses.ts";

function said(markdown: string, quote?: { readonly userId: string; readonly markdown: string }): TranscriptEntry {
  const sender = { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" } as const;
  return {
    kind: "user",
    eventId: brandAs("e"),
    sender: { ...sender, userId: brandAs("1") },
    markdown,
    attachments: [],
    at: instantOf(0),
    ...(quote && { quote: { userId: brandAs(quote.userId), displayName: quote.userId, markdown: quote.markdown } }),
  };
}

function result(name: string, content: string, isError = false): TranscriptEntry {
  return { kind: "tool.result", callId: "c", name, content, isError };
}

function answer(content: string): TranscriptEntry {
  return { kind: "assistant", content, toolCalls: [], model: "m", stop: "end" };
}

const known = (address: string, ...entries: readonly TranscriptEntry[]) => isKnownAddress(address, entries);

it("knows an address that a person wrote or a search gave, however it ends a sentence", () => {
  const words = said("See (https://example.org/a?b=1), [this](https://example.org/c) and HTTPS://Example.org/D.");
  for (const address of ["https://example.org/a?b=1", "https://example.org/c#part", "https://example.org/D"])
    assert.ok(known(address, words), address);
  const page = result("web_extract", "See [https://example.org/e](https://example.org/e?from=page), and more.");
  for (const address of ["https://example.org/e", "https://example.org/e?from=page"])
    assert.ok(known(address, page), address);
  assert.ok(known("https://example.org/x", result("web_search", "1. T\n   https://example.org/x\n   S")));
});

it("does not know one that the model has changed, shortened or continued", () => {
  const words = said("https://example.org/?d=abcdef https://example.org/path/page");
  for (const address of [
    "https://example.org/?d=abc",
    "https://example.org/?d=abcdefg",
    "https://example.org/path/",
    "https://example.org/",
  ]) {
    assert.ok(!known(address, words), address);
  }
});

it("does not take the model's own words for somebody's", () => {
  const address = "https://evil.example/?d=secret";
  const made = [answer(address), ...["terminal", "read_file", "mcp_x_echo"].map((name) => result(name, address))];
  assert.ok(!known(address, ...made, result("web_search", address, true)));
  assert.ok(!known("not an address", said("not an address")));
});

it("does not take what stands on a button for the words of whoever pressed it, also where a checkpoint tells of it", () => {
  const address = "https://evil.example/?d=secret";
  const pressed = { ...said(`[Ada pressed "${address}"]`), pressed: true } as Extract<
    TranscriptEntry,
    { kind: "user" }
  >;
  assert.ok(!known(address, pressed));
  assert.ok(!known(address, { kind: "checkpoint", said: [pressed] } as unknown as TranscriptEntry));
  assert.ok(known(address, pressed, said(`yes, ${address}`)), "until a person writes it");
});

it("knows what a quote names that is of somebody who spoke here, and not what the agent itself is quoted with", () => {
  const address = "https://evil.example/?d=secret";
  const quoting = (userId: string) => said("What is that?", { userId, markdown: `See ${address}` });
  assert.ok(known(address, quoting("1")));
  assert.ok(!known(address, answer(`See ${address}`), quoting("the agent")));
  assert.ok(known(address, quoting("the agent"), said(`open ${address}`)), "until a person says so");
});

it("knows of an open page where it is, and nothing that may have been typed into it", () => {
  const page = (name: string) =>
    result(name, "page: https://shop.example/a\ntitle: x\n\n- link https://evil.example/?d=1");
  for (const name of ["browser_open", "browser_read", "browser_click", "browser_type"]) {
    assert.ok(known("https://shop.example/a", page(name)), name);
    assert.equal(known("https://evil.example/?d=1", page(name)), name === "browser_open", name);
    assert.ok(!known("https://evil.example/?d=1", page(name), page("browser_type")), name);
  }
  // What was left out may have been typing.
  const shortened = { kind: "checkpoint", said: [] } as unknown as TranscriptEntry;
  assert.ok(!known("https://evil.example/?d=1", shortened, page("browser_open")));
  assert.ok(known("https://shop.example/a", shortened, page("browser_open")));
  assert.ok(!known("https://evil.example/", result("browser_read", "title: y\nx page: https://evil.example/")));
});
