/** Larger pictures, and those of other types, are kept by a click. */
const mostShownBytes = 10_000_000;
const shownTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * The files of a line as elements: pictures are shown, others have a button with their name that keeps them. `read(ref)` resolves
 * with the content: addresses alone, without the token, give nobody a file. `changed` is called once a picture has its size.
 */
export function createShownFiles(files, read, changed) {
  return files.map((file) => (isShown(file) ? pictureOf(file, read, changed) : buttonOf(file, read)));
}

export function sizeText(bytes) {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} kB`;
  return `${Math.round(bytes / 104_857.6) / 10} MB`;
}

function isShown({ mimeType, byteLength = Number.POSITIVE_INFINITY }) {
  return shownTypes.has(mimeType) && byteLength <= mostShownBytes;
}

function pictureOf(file, read, changed) {
  const group = document.createElement("div");
  const image = document.createElement("img");
  image.alt = file.name;
  image.className = "picture";
  group.append(image, buttonOf(file, read));
  read(file.ref).then(
    (content) => {
      const address = URL.createObjectURL(content);
      for (const name of ["load", "error"])
        image.addEventListener(name, () => {
          URL.revokeObjectURL(address);
          changed();
        });
      image.src = address;
    },
    () => image.remove(),
  );
  return group;
}

function buttonOf(file, read) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "file";
  button.textContent = file.byteLength === undefined ? file.name : `${file.name} (${sizeText(file.byteLength)})`;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      keep(await read(file.ref), file.name);
      button.title = "";
    } catch (error) {
      button.title = `Not read: ${error.message}`;
    }
    button.disabled = false;
  });
  return button;
}

function keep(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
