/**
 * Secrets that findings told of, by their text. A finding says where a secret stands in the file on disk; the same text is then
 * kept out of sight wherever memory is drawn: in older versions, differences, hits of a search, and what sessions had. They are
 * held in the memory of this window alone.
 */
import { useQueries } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo } from "react";
import type { Document, Health } from "@/bindings";
import { useBackend } from "@/state/backend";
import { useHealth } from "@/state/health";
import { observable, useObservable } from "@/state/observable";
import { secretsIn, withoutCut, withoutSecrets } from "./secrets";

const NONE: readonly string[] = [];
/** Shorter texts are words that stand elsewhere for themselves. */
const LEAST = 6;
/** Files that are read for the texts of their secrets. */
const MOST_FILES = 200;

const known = observable<readonly string[]>(NONE);
/** True while it is not known yet where secrets stand. */
const waits = observable(false);

type Found = Health["findings"][number];

/** Files with secrets, each with what was found in it. */
function filesOf(findings: readonly Found[]): Map<string, Found["finding"][]> {
  const files = new Map<string, Found["finding"][]>();
  for (const { store_id, finding } of findings) {
    if (!finding.rule.startsWith("secret/") || finding.start === null) continue;
    const target = `${store_id}:${finding.path}`;
    files.set(target, [...(files.get(target) ?? []), finding]);
  }
  return files;
}

/** The secrets of a file. A finding about an earlier state of it would name other text. */
function textsOf(findings: readonly Found["finding"][], { lines }: Pick<Document, "lines">): string[] {
  return findings.flatMap((finding) => {
    const texts = secretsIn([finding], (line) => lines[line - 1]?.text);
    const { shown } = finding.message.args;
    const fits = typeof shown !== "string" || texts.some((text) => text.startsWith(shown));
    return fits ? texts.filter((text) => text.length >= LEAST) : [];
  });
}

/** Learns where secrets stand, and their texts. Used once, by the window. */
export function useSecretWatch(): void {
  const backend = useBackend();
  const { data, error } = useHealth();
  const files = useMemo(() => [...filesOf(data?.findings ?? [])].slice(0, MOST_FILES), [data]);
  const reads = useQueries({
    queries: files.map(([target]) => {
      const request = { target, highlight: false };
      return { queryKey: ["document", request], queryFn: () => backend.call("document", request) };
    }),
  });
  const texts = reads.flatMap(({ data: document }, at) => (document ? textsOf(files[at]![1], document) : []));
  const pending = (data === undefined && !error) || reads.some(({ isPending }) => isPending);
  const signature = texts.join("\u0000");
  useEffect(() => {
    const all = new Set([...known.get(), ...signature.split("\u0000").filter(Boolean)]);
    if (all.size > known.get().length) known.set([...all].sort((a, b) => b.length - a.length));
  }, [signature]);
  useEffect(() => {
    waits.set(pending);
    return () => waits.set(false);
  }, [pending]);
}

/** Forgets them; for tests. */
export const forgetSecrets = () => known.set(NONE);

/** True around a view whose secrets somebody asked to see. */
export const SecretsShown = createContext(false);

/** Secrets to keep out of sight here. */
export function useHiddenSecrets(): readonly string[] {
  const all = useObservable(known);
  return useContext(SecretsShown) ? NONE : all;
}

/** Every secret that is known, whether it is shown or not. */
export const useKnownSecrets = (): readonly string[] => useObservable(known);

/** False for the moment in which nobody knows what is a secret. */
export const useSecretsKnown = (): boolean => !useObservable(waits);

/** Lines as they are drawn here. */
export function useMasked<T extends { text: string }>(lines: readonly T[]): readonly T[] {
  const secrets = useHiddenSecrets();
  return useMemo(
    () => (secrets.length === 0 ? lines : lines.map((line) => withoutSecrets(line, secrets))),
    [lines, secrets],
  );
}

/** A part of a line as it is drawn here: its ends may cut a secret. */
export function useMaskedPart(text: string): string {
  return withoutCut(text, useHiddenSecrets());
}
