/**
 * Lint rules. Beside the usual ones they keep the shape of the front end: `shared` and `state` know no feature, a feature
 * knows no other, only `host/tauri.ts` knows the desktop shell, and components and hooks stay small.
 */
import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";
import componentSize from "./eslint/component-size.js";

const noParents = {
  group: ["../*"],
  message: "Import across folders through @/…, so that the boundaries can be checked.",
};
const noTauri = { group: ["@tauri-apps/*"], message: "Only src/host/tauri.ts talks to the desktop shell." };
const forbid = (group, message) => ({ group, message });

/** Restricts what the files of a folder may import. */
function boundary(files, ...patterns) {
  return {
    files,
    rules: { "no-restricted-imports": ["error", { patterns: [noParents, noTauri, ...patterns] }] },
  };
}

export default tseslint.config(
  { ignores: ["dist", "src/bindings", "node_modules"] },
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.app.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { ignoreRestSiblings: true, varsIgnorePattern: "^_", argsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // A module of its own, loaded before everything else.
    files: ["public/*.js"],
    languageOptions: { globals: globals.browser, sourceType: "script" },
  },
  { files: ["scripts/**/*.mjs"], languageOptions: { globals: globals.node } },
  { files: ["*.ts"], extends: [tseslint.configs.recommended] },
  {
    files: ["src/**/*.tsx"],
    ...jsxA11y.flatConfigs.recommended,
    languageOptions: { ...jsxA11y.flatConfigs.recommended.languageOptions, globals: globals.browser },
    rules: {
      ...jsxA11y.flatConfigs.recommended.rules,
      // In a dialog that was just opened the focus belongs to its first step; our own parts say which that is.
      "jsx-a11y/no-autofocus": ["error", { ignoreNonDOM: true }],
      "jsx-a11y/label-has-associated-control": ["error", { depth: 3, assert: "either" }],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      // The virtualizer hands out functions that must not be memoised; the compiler is not used here.
      "react-hooks/incompatible-library": "off",
      "no-console": "error",
      "react-hooks/exhaustive-deps": "error",
    },
  },
  {
    files: ["src/{features,shared,app,state}/**/*.{ts,tsx}"],
    ignores: ["src/**/*.{test,bench}.{ts,tsx}", "src/**/testing.tsx"],
    plugins: { retrace: { rules: { "component-size": componentSize } } },
    rules: { "retrace/component-size": ["error", { lines: 100, hooks: 8 }] },
  },
  boundary(["src/**/*.{ts,tsx}"]),
  boundary(
    ["src/{host,i18n}/**/*.{ts,tsx}"],
    forbid(["@/features/*", "@/app/*", "@/state/*", "@/shared/*"], "host and i18n stand below all others."),
  ),
  boundary(
    ["src/state/**/*.{ts,tsx}"],
    forbid(["@/features/*", "@/app/*", "@/shared/*"], "state stands below shared."),
  ),
  boundary(["src/shared/**/*.{ts,tsx}"], forbid(["@/features/*", "@/app/*"], "shared knows no feature.")),
  boundary(
    ["src/features/**/*.{ts,tsx}"],
    forbid(["@/features/*", "@/app/*"], "A feature knows no other feature; app composes them."),
  ),
  {
    files: ["src/host/tauri.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: [noParents] }] },
  },
  {
    files: ["src/**/*.{test.ts,test.tsx}", "src/host/fake/**", "src/test-setup.ts"],
    rules: { "@typescript-eslint/require-await": "off" },
  },
);
