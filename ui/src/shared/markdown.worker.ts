/** Parses untrusted Markdown beside the window, where it can be broken off. */
import { treeOf } from "./markdown-tree";

self.onmessage = ({ data }: MessageEvent<string>) => self.postMessage(treeOf(data));
