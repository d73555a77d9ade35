import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { sizeText } from "../size-text.js";
import { inReadingOrder } from "../text-order.js";

/** Larger pictures, and those of other types, are kept by a click. */
const mostShownBytes = 10_000_000;
const shownTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * The files of a line: pictures are shown, and each has a button with its name that keeps it. `read(ref)` resolves with the content: addresses
 * alone, without the token, give nobody a file. Of what the gateway has not fetched, or keeps no more, there is the name.
 */
export function Files({ files = [], read }) {
  return files.map(withReadableName).map((file) => {
    if (!file.ref.startsWith("sha256:")) return html`<p class="state">${`${file.name}: not kept here`}</p>`;
    return isShown(file)
      ? html`<div><${Picture} file=${file} read=${read} /><${FileButton} file=${file} read=${read} /></div>`
      : html`<${FileButton} file=${file} read=${read} />`;
  });
}

/** Nobody sees a name in another order than it is written in. */
function withReadableName(file) {
  return { ...file, name: inReadingOrder(file.name) };
}

function isShown({ mimeType, byteLength = Number.POSITIVE_INFINITY }) {
  return shownTypes.has(mimeType) && byteLength <= mostShownBytes;
}

function Picture({ file: { ref, name }, read }) {
  const [address, setAddress] = useState();
  useEffect(() => {
    let isGone = false;
    let made;
    read(ref).then(
      (content) => {
        if (isGone) return;
        made = URL.createObjectURL(content);
        setAddress(made);
      },
      () => {},
    );
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [ref]);
  return address !== undefined && html`<img class="picture" alt=${name} src=${address} />`;
}

function FileButton({ file: { ref, name, byteLength }, read }) {
  const [state, setState] = useState({});
  async function press() {
    setState({ isBusy: true });
    try {
      keep(await read(ref), name);
      setState({});
    } catch (error) {
      setState({ problem: `Not read: ${error.message}` });
    }
  }
  return html`
    <button type="button" class="file" disabled=${state.isBusy} onClick=${press}>
      ${byteLength === undefined ? name : `${name} (${sizeText(byteLength)})`}
    </button>
    ${state.problem !== undefined && html`<p class="problem" role="alert">${state.problem}</p>`}
  `;
}

function keep(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
