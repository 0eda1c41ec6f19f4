/** The recorded answers have the shapes of the wire: a type that changed makes this fail until they are recorded anew. */
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { recordings } from "./fixtures";

const here = dirname(fileURLToPath(import.meta.url));
const CHECKED = resolve(here, "checked-fixtures.ts");
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: false,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
};

/** The bindings and the compiler's own library, read once. */
const files = new Map<string, ts.SourceFile | undefined>();

/** What the compiler has against a source beside the bindings. */
function problemsOf(source: string): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, options) => {
    if (name === CHECKED) return ts.createSourceFile(name, source, ts.ScriptTarget.ES2022);
    if (!files.has(name)) files.set(name, read(name, options));
    return files.get(name);
  };
  const program = ts.createProgram([CHECKED], OPTIONS, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(CHECKED))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const HEAD = `import type { ApiError, Commands } from "${resolve(here, "../../bindings/index")}";\n`;

/** A recording as constants of the types that the bindings give it. */
const constantsOf = (all: (typeof recordings)[number]["recordings"]) =>
  all
    .map(({ command, request, response, error }, at) => {
      const reply = error
        ? `ApiError = ${JSON.stringify(error)}`
        : `Commands["${command}"]["response"] = ${JSON.stringify(response)}`;
      return `export const asked_${at}: Partial<Commands["${command}"]["request"]> = ${JSON.stringify(request)};\nexport const reply_${at}: ${reply};\n`;
    })
    .join("");

it.each(recordings)("of $file", ({ recordings: all }) => {
  expect(all.length).toBeGreaterThan(0);
  expect(problemsOf(HEAD + constantsOf(all))).toEqual([]);
});

it("are refused when a field is gone, one is too many, or a word is none of the wire's", () => {
  const status = '{ "cancelled": false }';
  const constant = (text: string) =>
    problemsOf(`${HEAD}export const reply: Commands["cancel"]["response"] = ${text};\n`);
  expect(constant(status)).toEqual([]);
  expect(constant("{}")).toHaveLength(1);
  expect(constant('{ "cancelled": false, "more": 1 }')).toHaveLength(1);
  expect(problemsOf(`${HEAD}export const code: ApiError["code"] = "no such code";\n`)).toHaveLength(1);
});
