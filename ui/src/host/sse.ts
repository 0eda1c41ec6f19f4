/**
 * Reads `text/event-stream`. Only what this program sends is understood: `data:` lines, comments, blank lines between
 * events; ids, names and retry times are ignored.
 */

/** Cuts a stream into the data of its events. Keeps what is incomplete for the next chunk. */
export class EventStreamParser {
  private rest = "";
  private data: string[] = [];

  /** Takes the next piece of the stream and gives the data of each event it completes. */
  push(chunk: string): string[] {
    const complete: string[] = [];
    const lines = (this.rest + chunk).split(/\r?\n/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (this.data.length > 0) complete.push(this.data.join("\n"));
        this.data = [];
      } else if (line.startsWith("data:")) {
        this.data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      }
    }
    return complete;
  }
}
