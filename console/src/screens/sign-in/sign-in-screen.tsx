import './sign-in.css';
import { useState } from 'preact/hooks';
import { base } from '../../server/base.ts';
import { keepToken } from '../../server/session.ts';
import { Mark } from '../../shell/mark.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Spinner } from '../../ui/spinner.tsx';

/** Shown instead of every screen while the server refuses the requests. The address stays, so signing in leads back to it. */
export function SignInScreen({ reason }: { readonly reason: string }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const signIn = async () => {
    const token = text.trim();
    if (token === '') {
      setError('Enter a token.');
      return;
    }
    setAsking(true);
    const refusal = await refusalOf(token);
    setAsking(false);
    if (refusal === null) keepToken(token);
    else setError(refusal);
  };
  return (
    <main class="sign-in">
      <form
        class="sign-in-card card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <div class="sign-in-brand">
          <Mark size={34} />
          <div>
            <h1>Sign in</h1>
            <p class="muted mono">{base.host + base.pathname.slice(0, -1)}</p>
          </div>
        </div>
        <p class="muted" role="status">
          {reason}
        </p>
        <TextField
          label="Token"
          password
          autofocus
          value={text}
          onText={(value) => {
            setText(value);
            setError(null);
          }}
          {...(error === null
            ? { hint: 'Kept in this tab only, until you sign out or close it.' }
            : { error })}
        />
        <Button kind="primary" type="submit" disabled={isAsking}>
          {isAsking ? <Spinner label="Asking the server" /> : 'Sign in'}
        </Button>
        <p class="sign-in-help muted">
          An operator creates tokens with <code>framehold token create</code>.
        </p>
      </form>
    </main>
  );
}

/** Not through the one client of the page: the token is tried before it is kept. */
async function refusalOf(token: string): Promise<string | null> {
  if (!/^[\x21-\x7e]+$/.test(token)) return 'A token has no spaces and only plain characters.';
  try {
    const answer = await fetch(new URL('v1/status', base), {
      headers: { authorization: `Bearer ${token}` },
      credentials: 'omit',
    });
    if (answer.status === 401) return 'The server does not accept this token. It may have expired.';
    return answer.ok ? null : `The server answered with the status ${answer.status}. Try again later.`;
  } catch {
    return 'There is no answer from the server. Check the connection and try again.';
  }
}
