import './query.css';
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { SqlCatalog } from '../../editor/sql-catalog.ts';
import { type EditorControls, SqlEditor } from '../../editor/sql-editor.tsx';
import { api } from '../../server/api.ts';
import { useKeys } from '../../shell/keys.ts';
import { setParameters } from '../../shell/router.ts';
import type { ScreenProps } from '../../shell/screen-props.ts';
import { splitStatements, statementAt } from '../../sql/statements.ts';
import { errorText } from '../../ui/error-note.tsx';
import { plural } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { PaneDivider } from './pane-divider.tsx';
import { ParametersDialog } from './parameters-dialog.tsx';
import { areKept, forgetOldResults, openTab, selectedTab } from './query-tabs.ts';
import { ResultPane } from './result-pane.tsx';
import { SavedPanel } from './saved-panel.tsx';
import { type ParameterValues, type RunPurpose, type RunRequest, StatementRun } from './statement-run.ts';
import { TabStrip } from './tab-strip.tsx';
import { type SidePanel, Toolbar } from './toolbar.tsx';

const catalog = new SqlCatalog({
  frames: async (prefix, signal) => {
    const { frames } = await api.frames.list({ prefix, limit: 50, signal });
    return frames.map(({ name, rows }) => ({ name, detail: plural(rows, 'row') }));
  },
  columns: async (frame) => (await api.frames.get(frame)).columns,
  functions: () => api.functions(),
});

/** What a statement that has parameters waits for. */
interface Asked {
  readonly request: RunRequest;
  readonly parameters: readonly string[];
}

export function QueryScreen({ route }: ScreenProps) {
  const controls = useRef<EditorControls>(null);
  const panel = useSignal<SidePanel | null>(null);
  const asked = useSignal<Asked | null>(null);
  const tab = selectedTab.value;
  useTextFromAddress(route.parameters);

  const begin = async (request: RunRequest) => {
    const target = selectedTab.peek();
    if (target === null) return;
    target.run.peek()?.cancel();
    const run = new StatementRun(request);
    target.isForeign.value = false;
    target.run.value = run;
    if (request.purpose !== 'rows') target.view.value = 'plan';
    else if (target.view.peek() === 'plan') target.view.value = 'rows';
    await run.start();
    if (run.plan.peek() !== null) target.view.value = 'plan';
    forgetOldResults();
  };

  const start = (purpose: RunPurpose) => {
    const text = selectedTab.peek()?.text.peek() ?? '';
    const { from, to } = controls.current?.selection() ?? { from: 0, to: 0 };
    const selected = text.slice(from, to);
    const isSelection = selected.trim() !== '';
    const statements = splitStatements(isSelection ? selected : text);
    if (isSelection && statements.length > 1) {
      toast({
        text: `The selection has ${statements.length} statements.`,
        detail: 'The server runs one at a time. Select one, or put the cursor into it.',
      });
      return;
    }
    const found = isSelection ? statements[0] : statementAt(text, from, statements);
    if (found == null) {
      toast({ text: 'There is no statement to run.', detail: 'Write one, such as: select 42' });
      return;
    }
    const offset = isSelection ? from : 0;
    const engine = selectedTab.peek()?.engine.peek() ?? null;
    const request = {
      ...(engine === null ? {} : { engine }),
      sql: text.slice(offset + found.from, offset + found.to),
      from: offset + found.from,
      purpose,
    };
    if (found.parameters.length > 0) asked.value = { request, parameters: found.parameters };
    else void begin(request);
  };

  const cancel = () => selectedTab.peek()?.run.peek()?.cancel();
  useKeys('Query', [
    {
      keys: 'Ctrl+Enter',
      label: 'Run the selection, or the statement under the cursor',
      run: () => start('rows'),
    },
    { keys: 'Escape', label: 'Cancel the running statement', run: cancel },
    { keys: 'Ctrl+Space', label: 'Offer names and functions; Tab accepts' },
    { keys: 'Ctrl+F', label: 'Search in the editor' },
    { keys: 'Ctrl+/', label: 'Turn lines into comments' },
    { keys: 'Ctrl+]', label: 'Indent; Ctrl+[ outdents. Tab leaves the editor' },
  ]);

  const mark = useComputed(() => {
    const shown = selectedTab.value;
    const run = shown?.run.value ?? null;
    const position = run?.errorPosition ?? null;
    if (shown === null || run === null || position === null) return null;
    return { ...wordAt(shown.text.peek(), position), message: errorText(run.error.value).text };
  });

  if (tab === null) return null;
  return (
    <div class="query">
      <h1 class="unseen">Query</h1>
      <TabStrip />
      <Toolbar tab={tab} panel={panel} onStart={start} onCancel={cancel} />
      <div class="query-work">
        <PaneDivider
          top={
            <div class="query-editor">
              {tab.isForeign.value && (
                <p class="query-foreign" role="status">
                  <Icon name="info" />
                  This SQL came with a link. It has not been run: read it first, then press Run.
                </p>
              )}
              <SqlEditor
                documentKey={tab.id}
                text={tab.text.value}
                label="SQL"
                hint="select * from …"
                catalog={catalog}
                mark={mark.value}
                onText={(text) => {
                  const target = selectedTab.peek();
                  if (target !== null) target.text.value = text;
                }}
                onRun={() => start('rows')}
                controls={controls}
              />
              {!areKept.value && (
                <p class="query-foreign" role="status">
                  <Icon name="warning" />
                  The tabs are larger than the browser keeps: a reload loses some of their text.
                </p>
              )}
            </div>
          }
          bottom={
            <ResultPane key={tab.id} tab={tab} onReveal={(position) => controls.current?.reveal(position)} />
          }
        />
        {panel.value === 'history' && <HistoryPanel onClose={() => (panel.value = null)} />}
        {panel.value === 'saved' && <SavedPanel onClose={() => (panel.value = null)} />}
      </div>
      {asked.value !== null && (
        <ParametersDialog
          names={asked.value.parameters}
          onClose={() => (asked.value = null)}
          onValues={(parameters: ParameterValues) => {
            const request = asked.peek()?.request;
            asked.value = null;
            if (request !== undefined) void begin({ ...request, parameters });
          }}
        />
      )}
    </div>
  );
}

/** SQL in the address is shown and never run by itself: anybody can make a link. */
function useTextFromAddress(parameters: URLSearchParams): void {
  const text = parameters.get('sql');
  const saved = parameters.get('saved');
  useEffect(() => {
    if (text !== null) openTab(text, { isForeign: true });
    if (saved !== null) void openSaved(saved);
    // Otherwise a reload would open another tab.
    if (text !== null || saved !== null) setParameters({ sql: null, saved: null });
  }, [text, saved]);
}

async function openSaved(name: string): Promise<void> {
  try {
    const found = (await api.saved.list()).find((each) => each.name === name);
    if (found !== undefined) openTab(found.sql, { savedAs: name });
    else toast({ kind: 'error', text: `There is no saved query “${name}”.` });
  } catch (error) {
    toast({ kind: 'error', text: 'The saved query cannot be read.', detail: errorText(error).text });
  }
}

/** The word that begins there, or one character: what is underlined. */
function wordAt(text: string, from: number): { readonly from: number; readonly to: number } {
  const length =
    /^(?:[\p{L}\p{N}_$]+|"(?:[^"]|"")*"|'(?:[^']|'')*')/u.exec(text.slice(from, from + 300))?.[0].length ?? 1;
  return { from, to: from + length };
}
