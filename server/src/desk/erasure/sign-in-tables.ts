/** The tables of sessions and of single sign-on: tables.ts has all. */
export const SIGN_IN_TABLES = {
  begun_sign_ins: { kept: '10 minutes', plain: ['secret_hash'] },
  sessions: {
    kept: 'until it ends: 30 days at most',
    staff: ['address', 'agent'],
    plain: ['provider_session', 'refresh_hash'],
  },
  sign_in_providers: {
    kept: 'for good; removed ones are marked',
    plain: [
      'client_authentication',
      'client_id',
      'issuer',
      'label',
      'role_mapping',
      'roles_claim',
      'scopes',
      'wrapped_secret',
    ],
  },
  user_identities: {
    kept: 'the last state only',
    staff: ['subject'],
    plain: ['issuer', 'linked'],
  },
}
