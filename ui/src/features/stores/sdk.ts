/** Examples that point the official SDKs and curl at this program. Pure. */

/** Language of an example. */
export type Sdk = "python" | "typescript" | "curl";

/** Lists the memories of a store, with the address given and the key in the environment. */
export function sdkExample(sdk: Sdk, base: string, store: string): string {
  switch (sdk) {
    case "python":
      return [
        "import os",
        "from anthropic import Anthropic",
        "",
        `client = Anthropic(base_url="${base}", api_key=os.environ["RETRACE_TOKEN"])`,
        `for memory in client.beta.memory_stores.memories.list("${store}"):`,
        "    print(memory.path)",
      ].join("\n");
    case "typescript":
      return [
        'import Anthropic from "@anthropic-ai/sdk";',
        "",
        `const client = new Anthropic({ baseURL: "${base}", apiKey: process.env.RETRACE_TOKEN });`,
        `for await (const memory of client.beta.memoryStores.memories.list("${store}")) {`,
        "  console.log(memory.path);",
        "}",
      ].join("\n");
    case "curl":
      return [
        `curl ${base}/v1/memory_stores/${store}/memories \\`,
        '  -H "authorization: Bearer $RETRACE_TOKEN" \\',
        '  -H "anthropic-version: 2026-10-21" \\',
        '  -H "anthropic-beta: agent-memory-2026-07-22"',
      ].join("\n");
  }
}
