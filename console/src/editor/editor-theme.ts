import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colours come from the page's variables, which reach into the shadow root: light and dark need no theme of their own. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--text-m)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '10px 0' },
  '.cm-line': { padding: '0 14px 0 10px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#b9dfdb, #24504c)',
  },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text-muted)',
    border: 'none',
    minWidth: '44px',
  },
  '.cm-gutter.cm-lineNumbers': { minWidth: '34px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-statement': { boxShadow: 'inset 2px 0 0 var(--accent)' },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--selected)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--danger-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--selected)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger) 1px',
    textUnderlineOffset: '4px',
    backgroundColor: 'var(--danger-soft)',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--danger)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow-2)',
    overflow: 'hidden',
  },
  '.cm-diagnostic': { padding: '6px 10px', maxWidth: '60ch', fontFamily: 'var(--font)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--text-s)',
    maxHeight: '15em',
    minWidth: '260px',
    maxWidth: 'min(560px, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: '8px',
    alignItems: 'baseline',
    padding: '3px 10px',
    lineHeight: '1.5',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent)' },
  '.cm-completionDetail': {
    fontStyle: 'normal',
    fontFamily: 'var(--font)',
    color: 'var(--text-muted)',
    marginLeft: 'auto',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', maxWidth: '42ch', fontFamily: 'var(--font)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--border)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '8px 34px 8px 10px', fontFamily: 'var(--font)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--text-s)' },
  '.cm-panel.cm-search [name=close]': {
    fontSize: '18px',
    color: 'var(--text-muted)',
    width: '26px',
    height: '26px',
  },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius-s)',
    padding: '3px 6px',
    fontSize: 'var(--text-s)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-s)',
    padding: '3px 8px',
    fontSize: 'var(--text-s)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'light-dark(#0b5a7a, #7cc4ea)', fontWeight: '600' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'light-dark(#6b3fa0, #c4a7f2)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#8a4300, #eab676)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#a3195b, #f29ac0)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--text-muted)', fontStyle: 'italic' },
  { tag: tags.special(tags.name), color: 'light-dark(#1c6b3a, #7fd39b)' },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: 'var(--text)' },
]);

export const editorTheme: Extension = [look, syntaxHighlighting(colours)];
