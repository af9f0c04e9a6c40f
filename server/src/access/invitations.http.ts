import type { UserId } from '../core/ids.ts'
import { closed, endpoint, id, MAXIMUM_EMAIL, text } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { InvitingApp } from './account-mails.ts'
import { acceptInvitation, inviteUser } from './invitations.ts'
import { newPassword } from './passwords.schema.ts'
import { UserRecord } from './users.schema.ts'

const MAXIMUM_TOKEN = 200
/** Of one address in a minute. Nobody guesses a link. */
const TRIES = 30

export function invitationsEndpoints(app: InvitingApp): Endpoint[] {
  return [
    endpoint({
      tag: 'Users',
      permission: 'users.write',
      method: 'POST',
      operation_id: 'inviteUser',
      path: '/users/:user_id/invitation',
      origin: { ours: 'people choose their password themselves' },
      summary: 'Invite a user to choose a password',
      description:
        'Sends a mail with a link that works once, for seven days. Links of before no longer ' +
        'work. A second factor stays as it is.',
      confirmed: true,
      params: closed({ user_id: id<UserId>() }),
      data: UserRecord,
      effect: 'transaction',
      handle: ({ params: { user_id }, caller }, tx) => inviteUser(app, caller, tx, user_id),
    }),
    endpoint({
      tag: 'Authentication',
      permission: 'public',
      method: 'POST',
      operation_id: 'acceptInvitation',
      path: '/auth/invitation',
      origin: { ours: 'people choose their password themselves' },
      summary: 'Choose the password after an invitation',
      description: 'With the token of the link. A login follows; a second factor stays.',
      rate_limit: TRIES,
      body: closed(
        { token: text(MAXIMUM_TOKEN, 'Of the link'), new_password: newPassword() },
        { title: 'AcceptInvitation' },
      ),
      example: {
        token: '01a1fc75-ea2a-7589-aa8f-000000000007.kSx3v9…',
        new_password: 'correct horse battery staple',
      },
      data: closed({ email: text(MAXIMUM_EMAIL) }, { title: 'AcceptedInvitation' }),
      effect: 'venue',
      handle: ({ body, source }) => acceptInvitation(app, body, source),
    }),
  ]
}
