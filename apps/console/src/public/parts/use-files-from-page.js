import { useEffect } from "preact/hooks";

/** Hands over files that are dropped or pasted anywhere on the page. */
export function useFilesFromPage(add) {
  useEffect(() => {
    const leave = new AbortController();
    const { signal } = leave;
    const take = (event) => {
      const { files } = event.dataTransfer ?? event.clipboardData;
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    };
    document.addEventListener("dragover", (event) => event.preventDefault(), { signal });
    for (const name of ["drop", "paste"]) document.addEventListener(name, take, { signal });
    return () => leave.abort();
  }, []);
}
