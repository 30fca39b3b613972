import { useSignal } from '@preact/signals';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { parameterValues } from './parameter-value.ts';
import type { ParameterValues } from './statement-run.ts';

/** What was typed last for a name: it is offered again. As many as there are names in a session. */
const lastTexts = new Map<string, string>();

export function ParametersDialog({
  names,
  onValues,
  onClose,
}: {
  readonly names: readonly string[];
  readonly onValues: (values: ParameterValues) => void;
  readonly onClose: () => void;
}) {
  const texts = useSignal<ReadonlyMap<string, string>>(
    new Map(names.map((name) => [name, lastTexts.get(name) ?? ''])),
  );
  return (
    <Dialog
      title="Parameters"
      size="small"
      onClose={onClose}
      onSubmit={() => {
        for (const [name, text] of texts.peek()) lastTexts.set(name, text);
        onValues(parameterValues(names, texts.peek()));
      }}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" icon="play">
            Run
          </Button>
        </>
      }
    >
      <div class="query-form">
        {names.map((name, index) => (
          <TextField
            key={name}
            label={<code>${name}</code>}
            value={texts.value.get(name) ?? ''}
            mono
            autofocus={index === 0}
            onText={(text) => {
              texts.value = new Map(texts.peek()).set(name, text);
            }}
          />
        ))}
        <p class="muted">
          Numbers, <code>true</code>, <code>false</code> and <code>null</code> are sent as such, everything
          else as text. Put <code>'quotes'</code> around a text that looks like a number.
        </p>
      </div>
    </Dialog>
  );
}
