/** Small parts that every screen uses: buttons, chips, waiting, emptiness, failure. */
import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components/Button";
import { Checkbox as AriaCheckbox } from "react-aria-components/Checkbox";
import { ToggleButton } from "react-aria-components/ToggleButton";
import { ToggleButtonGroup } from "react-aria-components/ToggleButtonGroup";
import { wordsFor } from "./failure";
import { CheckIcon, CopyIcon } from "./icons";

/** The key that does the same as a button; written for people, not a command in itself. */
export function Kbd({ keys }: { keys: string }) {
  const mac = /Mac|iPhone|iPad/.test(navigator.platform);
  const names: Record<string, string> = {
    mod: mac ? "⌘" : "Ctrl",
    shift: "⇧",
    alt: mac ? "⌥" : "Alt",
    escape: "Esc",
  };
  const written = keys
    .split(" ")
    .map((chord) =>
      chord
        .split("+")
        .map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key))
        .join(" "),
    )
    .join(" ");
  return <kbd>{written}</kbd>;
}

/** Props of a button. */
export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className"> {
  /** Purpose: the next step, a step back, a redaction, or one among others. */
  tone?: "plain" | "primary" | "danger" | "redact" | "quiet";
  /** The key that does the same. */
  keys?: string;
  /** Label. */
  children: ReactNode;
  /** Shown when the pointer rests on it. */
  title?: string;
}

/** A button. While `isPending` it shows a spinner and does nothing. */
export function Button({ tone = "plain", keys, children, isPending, title, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      {...(isPending === undefined ? {} : { isPending })}
      className={`button button-${tone}`}
      render={(dom) => <button {...dom} title={title} />}
    >
      {isPending && <span className="spinner" aria-hidden />}
      <span className="button-label">{children}</span>
      {keys && (
        <span className="button-keys" aria-hidden>
          <Kbd keys={keys} />
        </span>
      )}
    </AriaButton>
  );
}

/** A word in a pill. Its colour only repeats what the word says. */
export function Chip({
  tone = "plain",
  children,
  title,
  "data-testid": testId,
}: {
  tone?: "plain" | "warn" | "redact" | "add" | "del" | "accent";
  children: ReactNode;
  title?: string | undefined;
  "data-testid"?: string;
}) {
  return (
    <span className={`chip chip-${tone}`} title={title} data-testid={testId}>
      {children}
    </span>
  );
}

/** The mark beside a state's word. */
export function Dot({ tone }: { tone: "on" | "warn" | "off" | "add" | "del" | "redact" | "accent" }) {
  return <span className={`dot dot-${tone}`} aria-hidden />;
}

/** Chooses one of a few views. */
export function Segmented<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className="segmented"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        if (key !== undefined) onChange(key as T);
      }}
    >
      {options.map((option) => (
        <ToggleButton key={option.value} id={option.value} className="segment" data-testid={`view-${option.value}`}>
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** A box to tick. */
export function Checkbox({
  label,
  hideLabel = false,
  ...props
}: {
  label: ReactNode;
  hideLabel?: boolean;
  isSelected: boolean;
  isDisabled?: boolean;
  onChange: (selected: boolean) => void;
  "data-testid"?: string;
}) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      <span className="checkbox-box" aria-hidden>
        <CheckIcon />
      </span>
      <span className={hideLabel ? "visually-hidden" : undefined}>{label}</span>
    </AriaCheckbox>
  );
}

/** Copies a text; says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useLingui();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <AriaButton
      className="icon-button"
      aria-label={copied ? t`Copied` : label}
      onPress={() => void copy().catch(() => setCopied(false))}
      onBlur={() => setCopied(false)}
      render={(dom) => <button {...dom} title={copied ? t`Copied` : label} />}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
    </AriaButton>
  );
}

/** Lines in place of what is still on its way. They appear only when it takes a while; what takes long says what is `doing`. */
export function Skeleton({ rows = 6, doing }: { rows?: number; doing?: string | undefined }) {
  return (
    <div className="skeleton" role="status">
      {doing === undefined ? (
        <span className="visually-hidden">
          <Trans>Loading</Trans>
        </span>
      ) : (
        <p className="skeleton-doing">
          <span className="spinner" aria-hidden />
          {doing}
        </p>
      )}
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} className={`skeleton-line skeleton-line-${at % 4}`} aria-hidden />
      ))}
    </div>
  );
}

/** Props of what stands where there is nothing. */
interface EmptyProps {
  title: string;
  /** It is all that the screen shows, so its title is that of the screen. */
  whole?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

/** Where there is nothing: says why, and what to do next. */
export function Empty({ title, whole = false, children, action }: EmptyProps) {
  const Title = whole ? "h1" : "h2";
  return (
    <div className="empty">
      <Title>{title}</Title>
      {children && <div className="empty-body">{children}</div>}
      {action && <div className="empty-actions">{action}</div>}
    </div>
  );
}

/** A description or a text, in the language of the window. */
export function useWords(): (words: MessageDescriptor | string) => string {
  const { i18n } = useLingui();
  return (words) => (typeof words === "string" ? words : i18n._(words));
}

/** Shows a failure, and what to do next. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const say = useWords();
  const words = wordsFor(error);
  return (
    <div className={`failure failure-${words.tone}`} role="alert" data-testid="failure">
      <strong>{say(words.title)}</strong>
      {words.detail && <p lang={words.detailLanguage ?? undefined}>{words.detail}</p>}
      {words.subject && !words.detail.includes(words.subject) && <p className="mono">{words.subject}</p>}
      <p>{say(words.next)}</p>
      {retry && (
        <Button onPress={retry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}

/** A read that may still be on its way or may have failed. */
export interface Reading<T> {
  /** The answer, once there. */
  data: T | undefined;
  /** The failure. */
  error: unknown;
  /** Asks again. */
  refetch: () => unknown;
}

/** Shows an answer, or that it is on its way, or why there is none. */
export function Await<T>({
  read,
  rows,
  doing,
  children,
}: {
  read: Reading<T>;
  rows?: number;
  /** What the program does meanwhile, where that can take seconds. */
  doing?: string;
  children: (data: T) => ReactNode;
}) {
  if (read.data !== undefined) return <>{children(read.data)}</>;
  if (read.error) return <Failure error={read.error} retry={() => void read.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} doing={doing} />;
}
