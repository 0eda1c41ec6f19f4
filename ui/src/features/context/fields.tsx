/** The fields of the form: numbers with a slider, names, choices. */
import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useId, useState } from "react";
import { NumberField } from "react-aria-components/NumberField";
import { Input, Label, TextField } from "react-aria-components/TextField";
import { Slider, SliderFill, SliderThumb, SliderTrack } from "react-aria-components/Slider";
import { parseNames, type Scale } from "./setting";

/** What the program says is wrong with a field. */
export function FieldProblem({ problem }: { problem: string | null }) {
  return (
    problem && (
      <p className="field-problem" role="alert" data-testid="field-problem">
        {problem}
      </p>
    )
  );
}

/** A whole number: typed exactly, or found with the slider below it. */
export function NumberSetting({
  label,
  value,
  scale,
  problem = null,
  onChange,
  testId,
}: {
  label: string;
  value: number;
  scale: Scale;
  problem?: string | null;
  onChange: (value: number) => void;
  testId: string;
}) {
  return (
    <div className="number-setting" data-testid={testId}>
      <NumberField
        className="setting-row"
        value={value}
        minValue={0}
        step={1}
        isInvalid={problem !== null}
        onChange={(next) => Number.isFinite(next) && onChange(next)}
      >
        <Label>{label}</Label>
        <Input className="number-input num" data-testid={`${testId}-input`} />
      </NumberField>
      <Slider
        className="slider"
        aria-label={label}
        value={Math.min(value, Math.max(scale.maxValue, value))}
        minValue={scale.minValue > value ? Math.min(value, scale.minValue) : scale.minValue}
        maxValue={Math.max(scale.maxValue, value)}
        step={scale.step}
        onChange={(next) => onChange(next)}
      >
        <SliderTrack className="slider-track">
          <SliderFill className="slider-fill" />
          <SliderThumb className="slider-thumb" data-testid={`${testId}-slider`} />
        </SliderTrack>
      </Slider>
      <FieldProblem problem={problem} />
    </div>
  );
}

/** A list of tool names, typed with commas or spaces between; taken when the field is left or Enter is pressed. */
export function NamesSetting({
  label,
  names,
  known,
  placeholder,
  problem = null,
  onChange,
  testId,
}: {
  label: string;
  names: readonly string[];
  known: readonly string[];
  placeholder: string;
  problem?: string | null;
  onChange: (names: string[]) => void;
  testId: string;
}) {
  const { t } = useLingui();
  const written = names.join(", ");
  const [draft, setDraft] = useState<string | null>(null);
  const take = () => {
    if (draft !== null) onChange(parseNames(draft));
    setDraft(null);
  };
  const offered = known.filter((name) => !names.includes(name)).slice(0, 6);
  return (
    <div className="names-setting">
      <TextField
        className="setting-row"
        value={draft ?? written}
        isInvalid={problem !== null}
        onChange={setDraft}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") take();
          else event.continuePropagation();
        }}
      >
        <Label>{label}</Label>
        <Input type="text" className="names-input" placeholder={placeholder} data-testid={testId} />
      </TextField>
      {offered.length > 0 && (
        <ul className="offers" aria-label={t`Tools of this transcript to add to ${label}`}>
          {offered.map((name) => (
            <li key={name}>
              <button type="button" className="offer" onClick={() => onChange([...names, name])}>
                + {name}
              </button>
            </li>
          ))}
        </ul>
      )}
      <FieldProblem problem={problem} />
    </div>
  );
}

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
    <div className="setting-row">
      <label htmlFor={id}>{label}</label>
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
