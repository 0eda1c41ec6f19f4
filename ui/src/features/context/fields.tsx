/** The fields of the form: numbers with a slider, names, choices. */
import type { Message } from "@/bindings";
import { useLingui } from "@lingui/react/macro";
import { memo, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { NumberField } from "react-aria-components/NumberField";
import { Input, Label, TextField } from "react-aria-components/TextField";
import { Slider, SliderFill, SliderThumb, SliderTrack } from "react-aria-components/Slider";
import { positionsAround } from "./ahead";
import { type Json, parseNames, type Scale } from "./setting";
import { useWish } from "./simulations";
import { ProgramText } from "@/shared/labels";
import { TermMark } from "@/shared/Term";
import { classes } from "@/shared/classes";
import css from "./variants.module.css";

/** The setting that a form edits. The same object as long as the form edits the same variant. */
export interface Edited {
  /** The setting now. */
  config: () => Json;
  /** Replaces it by what `step` makes of it. */
  change: (step: (config: Json) => Json) => void;
}

/** Problem that the program finds with a field. */
export function FieldProblem({ problem }: { problem: Message | null }) {
  return (
    problem && (
      <p className="field-problem" role="alert" data-testid="field-problem">
        <ProgramText text={problem} />
      </p>
    )
  );
}

/** A slider's further positions are asked for again once it has rested so long, in milliseconds. */
const REST_MS = 100;

/** Asks for the lines of a slider's other positions while it has the focus or the pointer. */
function useLookAhead(value: number, positions: () => number[], edited: Edited, write: Write) {
  const wish = useWish();
  const near = useRef(false);
  const refresh = () => {
    const config = edited.config();
    wish(positions().map((position) => write(config, position)));
  };
  const latest = useRef(refresh);
  useEffect(() => {
    latest.current = refresh;
  });
  useEffect(() => {
    if (!near.current) return;
    const timer = window.setTimeout(() => latest.current(), REST_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  const come = () => {
    near.current = true;
    latest.current();
  };
  const leave = () => {
    near.current = false;
  };
  return { onFocus: come, onPointerEnter: come, onBlur: leave, onPointerLeave: leave };
}

/** The term in a field's label: its first word, `keep` of `keep tool_uses`. */
const termOf = (label: string) => label.split(" ", 1)[0] ?? "";

/** Writes another number into a field of a setting. */
export type Write = (config: Json, value: number) => Json;

/** A whole number: typed exactly, or found with the slider below it. */
export const NumberSetting = memo(function NumberSetting({
  label,
  value,
  scale,
  problem = null,
  edited,
  write,
  testId,
}: {
  label: string;
  value: number;
  scale: Scale;
  problem?: Message | null;
  edited: Edited;
  /** Always the same function, so that a field is drawn again only when its own number changes. */
  write: Write;
  testId: string;
}) {
  const minValue = Math.min(value, scale.minValue);
  const maxValue = Math.max(value, scale.maxValue);
  const { step } = scale;
  const change = (next: number) => Number.isFinite(next) && edited.change((config) => write(config, next));
  const ahead = useLookAhead(value, () => positionsAround(value, { minValue, maxValue, step }), edited, write);
  return (
    <div className={css.numberSetting} data-testid={testId} {...ahead}>
      <NumberField
        className={css.settingRow}
        value={value}
        minValue={0}
        step={1}
        isInvalid={problem !== null}
        onChange={change}
      >
        <span className={css.termLabel}>
          <Label>{label}</Label>
          <TermMark of={termOf(label)} />
        </span>
        <Input className={classes(css.numberInput, "num")} data-testid={`${testId}-input`} />
      </NumberField>
      <Slider
        className={css.slider}
        aria-label={label}
        value={value}
        minValue={minValue}
        maxValue={maxValue}
        step={step}
        onChange={change}
      >
        <SliderTrack className={css.sliderTrack}>
          <SliderFill className={css.sliderFill} />
          <SliderThumb className={css.sliderThumb} data-testid={`${testId}-slider`} />
        </SliderTrack>
      </Slider>
      <FieldProblem problem={problem} />
    </div>
  );
});

/** A text that is taken when its field is left or Enter is pressed. */
export function LaterText({
  label,
  written,
  placeholder,
  problem = null,
  onTake,
  testId,
  children,
}: {
  label: string;
  written: string;
  placeholder: string;
  problem?: Message | null;
  onTake: (text: string) => void;
  testId: string;
  /** Elements between the field and its problem. */
  children?: ReactNode;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const take = () => {
    if (draft !== null) onTake(draft);
    setDraft(null);
  };
  return (
    <div className={css.namesSetting}>
      <TextField
        className={css.settingRow}
        value={draft ?? written}
        isInvalid={problem !== null}
        onChange={setDraft}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
          else event.continuePropagation();
        }}
      >
        <span className={css.termLabel}>
          <Label>{label}</Label>
          <TermMark of={termOf(label)} />
        </span>
        <Input type="text" className={css.namesInput} placeholder={placeholder} data-testid={testId} />
      </TextField>
      {children}
      <FieldProblem problem={problem} />
    </div>
  );
}

/** A list of tool names, typed with commas or spaces between; taken when the field is left or Enter is pressed. */
export const NamesSetting = memo(function NamesSetting({
  label,
  names,
  known,
  placeholder,
  problem = null,
  edited,
  write,
  testId,
}: {
  label: string;
  names: readonly string[];
  known: readonly string[];
  placeholder: string;
  problem?: Message | null;
  edited: Edited;
  /** Writes other names into a setting; always the same function. */
  write: (config: Json, names: string[]) => Json;
  testId: string;
}) {
  const { t } = useLingui();
  const onChange = (next: string[]) => edited.change((config) => write(config, next));
  const offered = known.filter((name) => !names.includes(name)).slice(0, 6);
  return (
    <LaterText
      label={label}
      written={names.join(", ")}
      placeholder={placeholder}
      problem={problem}
      onTake={(text) => onChange(parseNames(text))}
      testId={testId}
    >
      {offered.length > 0 && (
        <ul className={css.offers} aria-label={t`Tools of this transcript to add to ${label}`}>
          {offered.map((name) => (
            <li key={name}>
              <button type="button" className={css.offer} onClick={() => onChange([...names, name])}>
                + {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </LaterText>
  );
});

/** A choice of few. */
export function ChoiceSetting<T extends string>({
  label,
  value,
  options,
  onChange,
  testId,
  children,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  testId: string;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <div className={css.settingRow}>
      <span className={css.termLabel}>
        <label htmlFor={id}>{label}</label>
        <TermMark of={termOf(label)} />
      </span>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value as T)} data-testid={testId}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {children}
    </div>
  );
}
