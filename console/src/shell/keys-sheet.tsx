import { Dialog } from '../ui/dialog.tsx';
import { keyGroups, setSingleKeys, singleKeys } from './keys.ts';

/** The list that `?` shows. */
export function KeysSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div class="keys">
        {keyGroups.value.map((group) => (
          <section key={group.title} class="keys-group">
            <h3>{group.title}</h3>
            <dl>
              {group.bindings.map((binding) => (
                <div key={binding.keys} class="keys-row">
                  <dt>{binding.label}</dt>
                  <dd>
                    {binding.keys.split('+').map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Shortcuts of a single character
      </label>
    </Dialog>
  );
}
