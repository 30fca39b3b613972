import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { splitStatements, statementAt } from '../sql/statements.ts';

/** In a longer text nothing is marked: finding the statement at every key would be felt. */
const charactersMax = 200_000;
const line = Decoration.line({ class: 'cm-statement' });

/** A bar beside the statement that Ctrl+Enter runs, if there are several. */
export const statementMark = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.selectionSet) this.decorations = marksOf(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function marksOf({ state }: EditorView): DecorationSet {
  const { doc, selection } = state;
  if (doc.length > charactersMax || !selection.main.empty) return Decoration.none;
  const text = doc.toString();
  const statements = splitStatements(text);
  const found = statements.length < 2 ? null : statementAt(text, selection.main.head, statements);
  if (found === null) return Decoration.none;
  const marks = new RangeSetBuilder<Decoration>();
  const last = doc.lineAt(found.to).number;
  for (let number = doc.lineAt(found.from).number; number <= last; number++) {
    const { from } = doc.line(number);
    marks.add(from, from, line);
  }
  return marks.finish();
}
