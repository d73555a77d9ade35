import { sizeText } from "./shown-files.js";

/**
 * The files that go with the next message, in a list of their own: chosen, dropped or pasted. `limits()` says how many and how large
 * they may be. `upload(file, progress)` resolves with what a message names.
 */
export function createChosenFiles({ button, input, list, target, problem }, limits, upload) {
  let chosen = [];

  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    add(input.files);
    input.value = "";
  });
  target.addEventListener("dragover", (event) => event.preventDefault());
  for (const name of ["drop", "paste"])
    target.addEventListener(name, (event) => {
      const { files } = event.dataTransfer ?? event.clipboardData;
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    });

  function add(files) {
    const { most, maxBytes } = limits();
    const refused = [];
    for (const file of files) {
      if (file.size === 0) refused.push(`${file.name} is empty`);
      else if (file.size > maxBytes)
        refused.push(`${file.name} has ${sizeText(file.size)}, and at most ${sizeText(maxBytes)} can be sent`);
      else if (chosen.length >= most) refused.push(`${file.name}: a message takes ${most} files`);
      else chosen.push(createChosen(file, remove));
    }
    problem.textContent = refused.length === 0 ? "" : `Not attached: ${refused.join("; ")}`;
    show();
  }

  function remove(one) {
    chosen = chosen.filter((other) => other !== one);
    show();
  }

  function show() {
    list.replaceChildren(...chosen.map(({ item }) => item));
  }

  return {
    get isEmpty() {
      return chosen.length === 0;
    },
    /** Sends each once, also after one of them has failed; resolves with what the message names. */
    async uploaded() {
      const files = [];
      for (const one of chosen) {
        one.kept ??= await upload(one.file, one.show);
        one.show(1);
        files.push(one.kept);
      }
      return files;
    },
    /** Those that a message has taken. */
    sent(files) {
      chosen = chosen.filter(({ kept }) => !files.includes(kept));
      show();
    },
  };
}

function createChosen(file, remove) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  name.textContent = `${file.name} (${sizeText(file.size)})`;
  const progress = document.createElement("progress");
  progress.max = 1;
  progress.value = 0;
  progress.setAttribute("aria-label", `${file.name} is sent`);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "file";
  button.textContent = "Remove";
  button.setAttribute("aria-label", `Remove ${file.name}`);
  const one = {
    file,
    item,
    kept: undefined,
    show(share) {
      progress.value = share;
    },
  };
  button.addEventListener("click", () => remove(one));
  item.append(name, progress, button);
  return one;
}
