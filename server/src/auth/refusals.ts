import { FrameholdError } from '../model/errors.ts';

/** Errors for credentials that are not accepted. None of them reveals whether a guess was close. */

const newOne = 'The operator makes one with: framehold token create.';

export function noCredential(): FrameholdError {
  return new FrameholdError('unauthenticated', 'This server requires a credential, and none was given.', {
    hint: `Send the header Authorization: Bearer TOKEN. ${newOne}`,
  });
}

export function unknownCredential(cause?: unknown): FrameholdError {
  return new FrameholdError('unauthenticated', 'The credential is not one of this server.', {
    hint: `Check that it was copied completely. ${newOne}`,
    cause,
  });
}

/** Also for a link that the catalog does not know: one that cannot be revoked must not be in force. */
export function revokedLink(): FrameholdError {
  return new FrameholdError('link_revoked', 'The link was revoked.', {
    hint: 'Ask the person who sent it to you for a new one.',
  });
}

/** Only for callers that have shown the secret. */
export function refusedCredential(id: string, ended: 'expired' | 'revoked', at: number): FrameholdError {
  const verb = ended === 'expired' ? 'expired' : 'was revoked';
  return new FrameholdError(
    'unauthenticated',
    `The credential ${id} ${verb} at ${new Date(at).toISOString()}.`,
    {
      hint: newOne,
    },
  );
}

export function unreadableCredential(): FrameholdError {
  return new FrameholdError('unauthenticated', 'The Authorization header cannot be read.', {
    hint: 'Send Bearer TOKEN, or Basic with any user and the token as the password.',
  });
}
