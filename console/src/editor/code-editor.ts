/** The editor itself. This module, and all of CodeMirror with it, is loaded after the page can be used. */
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { completionSources } from './completion.ts';
import { editorTheme } from './editor-theme.ts';
import type { SqlCatalog } from './sql-catalog.ts';
import { duckdbDialect } from './sql-dialect.ts';
import { statementMark } from './statement-mark.ts';
import { typeOverSelection } from './type-over-selection.ts';

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export interface CodeEditorOptions {
  readonly root: ShadowRoot;
  readonly parent: HTMLElement;
  readonly label: string;
  readonly hint: string;
  readonly catalog: SqlCatalog;
  readonly onText: (text: string) => void;
  readonly onRun: () => void;
}

export class CodeEditor {
  readonly #view: EditorView;
  readonly #extensions: Extension;
  /** What undo and the cursor know of documents that are not shown. As many as there are tabs. */
  readonly #states = new Map<string, EditorState>();
  #shown: string;

  constructor(options: CodeEditorOptions, key: string, text: string, selection: TextRange) {
    this.#extensions = extensionsOf(options);
    this.#shown = key;
    this.#view = new EditorView({
      state: this.#newState(text, selection),
      parent: options.parent,
      root: options.root,
    });
  }

  get selection(): TextRange {
    const { from, to } = this.#view.state.selection.main;
    return { from, to };
  }

  get cursor(): number {
    return this.#view.state.selection.main.head;
  }

  get hasFocus(): boolean {
    return this.#view.hasFocus;
  }

  /** Shows another document, or the same with another text. */
  show(key: string, text: string): void {
    if (key === this.#shown && text === this.#view.state.doc.toString()) return;
    if (key === this.#shown) {
      this.#view.dispatch({
        changes: { from: 0, to: this.#view.state.doc.length, insert: text },
        selection: { anchor: Math.min(this.cursor, text.length) },
      });
      return;
    }
    this.#states.set(this.#shown, this.#view.state);
    const kept = this.#states.get(key);
    this.#states.delete(key);
    this.#shown = key;
    const isSame = kept?.doc.toString() === text;
    this.#view.setState(
      isSame && kept !== undefined ? kept : this.#newState(text, { from: text.length, to: text.length }),
    );
  }

  forget(key: string): void {
    this.#states.delete(key);
  }

  /** Underlines what a message is about; none removes the marks. */
  mark(place: (TextRange & { readonly message: string }) | null): void {
    const { doc } = this.#view.state;
    const diagnostics: Diagnostic[] = [];
    if (place !== null && place.from <= doc.length)
      diagnostics.push({ ...place, to: Math.min(place.to, doc.length), severity: 'error' });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  /** Moves the cursor, and scrolls to it. */
  reveal(position: number): void {
    const anchor = Math.min(position, this.#view.state.doc.length);
    this.#view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  close(): void {
    this.#view.destroy();
  }

  #newState(text: string, { from, to }: TextRange): EditorState {
    return EditorState.create({
      doc: text,
      selection: { anchor: Math.min(from, text.length), head: Math.min(to, text.length) },
      extensions: this.#extensions,
    });
  }
}

function extensionsOf({ label, hint, catalog, onText, onRun }: CodeEditorOptions): Extension {
  return [
    // Before the usual keys, in which Ctrl+Enter adds a line.
    Prec.highest(
      keymap.of([
        {
          key: 'Mod-Enter',
          run: (view) => {
            // Otherwise the list of names would take the next arrow keys.
            closeCompletion(view);
            onRun();
            return true;
          },
        },
        // Tab accepts what is offered, and moves the focus otherwise: nobody is caught in the editor. Ctrl+] indents.
        { key: 'Tab', run: acceptCompletion },
      ]),
    ),
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: false }),
    sql({ dialect: duckdbDialect }),
    autocompletion({
      override: completionSources(catalog),
      icons: false,
      // Names that arrive later join the list; what is there is shown at once.
      updateSyncTime: 60,
      maxRenderedOptions: 100,
    }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    placeholder(hint),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString());
    }),
    typeOverSelection,
    statementMark,
    editorTheme,
  ];
}
