/** Offers a text as a file. */

/** Time for which the address of a download stays valid, in milliseconds. */
const KEPT_MS = 60_000;

/** Offers a text as a file to save. */
export function download(name: string, text: string, type = "application/json"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download reads the address after this function has returned; WebKit loses it when it is gone by then.
  window.setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
