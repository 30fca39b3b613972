import { EditorView } from '@codemirror/view';

/**
 * A letter that replaces a selection is put in by the editor, not by the browser: the browser would keep the look of the old text in a
 * `style` attribute, which the page's policy refuses and reports.
 */
export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    const isSingle = state.selection.ranges.length === 1;
    if (empty || !isSingle || event.isComposing || event.inputType !== 'insertText' || event.data === null)
      return false;
    const text = event.data;
    const insert = () =>
      state.update({
        changes: { from, to, insert: text },
        selection: { anchor: from + text.length },
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    event.preventDefault();
    // Those of the extensions, which close brackets around the selection.
    const handled = state
      .facet(EditorView.inputHandler)
      .some((handler) => handler(view, from, to, text, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});
