import { useState } from 'preact/hooks';
import { base } from '../../base.ts';
import { keepToken } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';

export function SignInScreen({ reason }: { readonly reason: string }) {
  const [text, setText] = useState('');
  return (
    <main class="sign-in">
      <form
        class="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') keepToken(text.trim());
        }}
      >
        <h1>Sign in</h1>
        <p class="muted">
          {reason} <span class="mono">{base.host}</span>
        </p>
        <TextField label="Token" password value={text} onText={setText} autofocus />
        <Button kind="primary" type="submit">
          Sign in
        </Button>
      </form>
    </main>
  );
}
