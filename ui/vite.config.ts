/**
 * Build and test settings of the front end. The build must run under the strict content security policy of the desktop
 * window and of `retrace serve`: no inline script, no inline style, nothing remote.
 */
import { fileURLToPath } from "node:url";
import { transformAsync } from "@babel/core";
import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/**
 * Expands Lingui's macros. The React plugin no longer brings Babel, so only the files that use a macro pass through it.
 */
function linguiMacros(): Plugin {
  return {
    name: "lingui-macros",
    enforce: "pre",
    async transform(code, id) {
      const file = id.split("?")[0] ?? id;
      if (!/\.tsx?$/.test(file) || file.includes("/node_modules/") || !code.includes("@lingui/")) return null;
      const result = await transformAsync(code, {
        filename: file,
        babelrc: false,
        configFile: false,
        sourceMaps: true,
        parserOpts: { plugins: file.endsWith("x") ? ["typescript", "jsx"] : ["typescript"] },
        plugins: ["@lingui/babel-plugin-lingui-macro"],
      });
      return result?.code ? { code: result.code, map: result.map } : null;
    },
  };
}

/** Tests that need a document. */
const WITH_DOCUMENT = ["src/**/*.test.tsx", "src/**/*.dom.test.ts"];

export default defineConfig({
  plugins: [linguiMacros(), react(), lingui({ failOnMissing: true, failOnCompileError: true })],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // Its form for browsers asks the document what an entity stands for, and a worker has none.
      "decode-named-character-reference": fileURLToPath(
        new URL("./node_modules/decode-named-character-reference/index.js", import.meta.url),
      ),
    },
  },
  // `.inbox-list` in a sheet is `css.inboxList` in a component.
  css: { modules: { localsConvention: "camelCase" } },
  build: {
    // The oldest WebKitGTK and WKWebView that the desktop window meets.
    target: "safari16",
    // Fonts stay files: the policy allows `font-src 'self'` and no data URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What all screens share stands in one sheet before those of the features, so that these have the last word.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "styles", test: /src\/(styles|shared)\/.*\.css/ }] } },
    },
  },
  test: {
    // What draws nothing runs without a document, which takes longer to make than most tests take.
    projects: [
      {
        extends: true,
        test: { name: "window", environment: "jsdom", setupFiles: ["./src/test-setup.ts"], include: WITH_DOCUMENT },
      },
      {
        extends: true,
        test: {
          name: "plain",
          environment: "node",
          include: ["src/**/*.test.ts"],
          exclude: WITH_DOCUMENT,
          benchmark: { include: [] },
        },
      },
    ],
    restoreMocks: true,
    testTimeout: 60_000,
    // Sheets of features are read, so that a component has the names of its classes.
    css: { include: [/\.module\.css$/], modules: { classNameStrategy: "non-scoped" } },
  },
});
