import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPublicAddress } from "./public-address.ts";

const publicOnes = [
  "1.1.1.1 8.8.8.8 93.184.215.14 172.15.255.255 172.32.0.0 100.63.255.255 100.128.0.1 192.0.1.1 192.31.195.255 192.31.197.0",
  "192.52.192.1 192.175.47.255 198.17.255.255 198.20.0.0 223.255.255.255",
  "2606:4700::1111 2a00:1450::1 2001:200::1 2001:4860:4860::8888 2620:4f:7fff::1 2620:4f:8001::1 3ffe::1 2606:4700::0A00:0001",
];

const others = [
  // This machine, its network, its provider's.
  "0.0.0.0 10.0.0.1 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1",
  ":: ::1 fe80::1 fe80::1%lo fe80::1%25eth0 fec0::1 fc00::1 fd12::1 fd00:ec2::254",
  // Special use.
  "192.0.0.1 192.0.0.9 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9",
  "2001::1 2001:1::1 2001:10::1 2001:20::1 2001:db8::1 2620:4f:8000::1 3fff::1 3fff:fff::1 5f00::1 100::1 4000::1",
  // To many, or reserved.
  "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1 ff0e::1",
  // IPv4 inside of IPv6, public or not.
  "::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:808:808 ::127.0.0.1 ::7f00:1 ::8.8.8.8 ::ffff:0:127.0.0.1",
  "64:ff9b::a00:1 64:ff9b::10.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1::1 2002:a00:1::1 2002:7f00:1:: 2002:808:808:: 2001:0:808:808::1",
  // No address, or one that programs read differently.
  "localhost x 010.0.0.1 0177.0.0.1 0x7f.0.0.1 127.1 2130706433 8.8.8 8.8.8.8. 8.8.8.8/32 [2606:4700::1111] 2606:4700::1111%eth0 １.1.1.1",
];

const listed = (lines: readonly string[]) => lines.flatMap((line) => line.split(" "));

describe("an address of the public internet", () => {
  for (const address of listed(publicOnes)) it(`is ${address}`, () => assert.equal(isPublicAddress(address), true));
  for (const address of [...listed(others), "", " ", "8.8.8.8 "])
    it(`is not ${JSON.stringify(address)}`, () => assert.equal(isPublicAddress(address), false));
});
