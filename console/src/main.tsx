import './shell/theme.css';
import './ui/ui.css';
import './shell/app.css';
import { render } from 'preact';
import { App } from './shell/app.tsx';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
