import './sql-editor.css';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CodeEditor, TextRange } from './code-editor.ts';
import type { SqlCatalog } from './sql-catalog.ts';

/** What the rest of the screen may ask of the editor. */
export interface EditorControls {
  /** What is selected, or the cursor's place twice. */
  selection(): TextRange;
  reveal(position: number): void;
  focus(): void;
}

export interface SqlEditorProps {
  /** Which document is shown: each has a cursor and an undo history of its own. */
  readonly documentKey: string;
  readonly text: string;
  readonly label: string;
  readonly hint: string;
  readonly catalog: SqlCatalog;
  /** Where the last error is, and what it says. */
  readonly mark: (TextRange & { readonly message: string }) | null;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
  readonly controls: RefObject<EditorControls | null>;
}

/**
 * A SQL editor. Until CodeMirror has arrived, and if it does not, it is a plain text area that works the same. CodeMirror is inside of a
 * shadow root, where it may use constructed style sheets: the page's policy forbids the style elements that it would add elsewhere.
 */
export function SqlEditor(props: SqlEditorProps) {
  const { documentKey, text, label, hint, mark, controls } = props;
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [isReady, setReady] = useState(false);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    let isGone = false;
    const begin = async () => {
      const { CodeEditor } = await import('./code-editor.ts');
      const element = host.current;
      if (isGone || element === null) return;
      const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
      const parent = document.createElement('div');
      parent.style.height = '100%';
      root.replaceChildren(parent);
      const before = area.current;
      const hadFocus = before !== null && document.activeElement === before;
      const { documentKey, text, label, hint, catalog, mark } = latest.current;
      const selection = {
        from: before?.selectionStart ?? text.length,
        to: before?.selectionEnd ?? text.length,
      };
      const made = new CodeEditor(
        {
          root,
          parent,
          label,
          hint,
          catalog,
          onText: (changed) => latest.current.onText(changed),
          onRun: () => latest.current.onRun(),
        },
        documentKey,
        text,
        selection,
      );
      editor.current = made;
      made.mark(mark);
      setReady(true);
      if (hadFocus) made.focus();
    };
    // Without it, the text area goes on.
    begin().catch(() => undefined);
    return () => {
      isGone = true;
      editor.current?.close();
      editor.current = null;
    };
  }, []);

  useLayoutEffect(() => {
    editor.current?.show(documentKey, text);
  }, [documentKey, text]);
  useLayoutEffect(() => {
    editor.current?.mark(mark);
  }, [mark, documentKey]);
  useLayoutEffect(() => {
    controls.current = {
      selection: () =>
        editor.current?.selection ?? {
          from: area.current?.selectionStart ?? 0,
          to: area.current?.selectionEnd ?? 0,
        },
      reveal: (position) => {
        if (editor.current !== null) editor.current.reveal(position);
        else area.current?.setSelectionRange(position, position);
      },
      focus: () => (editor.current ?? area.current)?.focus(),
    };
  });

  return (
    <div class="sql-editor">
      <div ref={host} class="sql-editor-host" hidden={!isReady} />
      {!isReady && (
        <textarea
          ref={area}
          class="sql-editor-area"
          aria-label={label}
          placeholder={hint}
          spellcheck={false}
          value={text}
          onInput={(event) => latest.current.onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            latest.current.onRun();
          }}
        />
      )}
    </div>
  );
}
