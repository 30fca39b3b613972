import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldShape {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: ComponentChildren;
}

/** What an input needs to be tied to its label, its hint and its error. */
interface Tied {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

/** A label with any control: `<Field label="Name">{(tied) => <input {...tied} />}</Field>`. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldShape & { readonly children: (tied: Tied) => ComponentChildren }) {
  const id = useId();
  const described = error !== undefined || hint !== undefined;
  return (
    <div class={`field ${error === undefined ? '' : 'field-wrong'}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described ? { 'aria-describedby': `${id}-note` } : {}),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {described && (
        <p id={`${id}-note`} class={error === undefined ? 'field-hint' : 'field-error'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldShape {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly password?: boolean;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly mono?: boolean;
}

export function TextField({
  label,
  hint,
  error,
  value,
  onText,
  password = false,
  mono = false,
  ...rest
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => (
        <input
          class={mono ? 'input mono' : 'input'}
          {...(password ? { type: 'password' } : { type: 'text' })}
          autocomplete="off"
          spellcheck={false}
          {...rest}
          {...tied}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  label,
  hint,
  error,
  value,
  choices,
  onChoose,
  disabled = false,
}: FieldShape & {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChoose: (value: string) => void;
  readonly disabled?: boolean;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(tied) => (
        <select
          class="input"
          {...tied}
          value={value}
          disabled={disabled}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
