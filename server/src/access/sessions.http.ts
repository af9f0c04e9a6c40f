import { closed, endpoint, flag, id, listEndpoint, nullable, oneOf } from '../http/index.ts'
import { text, time } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { MAXIMUM_ADDRESS, MAXIMUM_AGENT } from '../store/calls.ts'
import { endOwnSession, isLive, SESSION_KINDS } from './sessions.ts'

const SessionRecord = closed(
  {
    id: id(),
    kind: oneOf(SESSION_KINDS, 'CONSOLE: its refresh token is in a cookie of the browser'),
    created_at: time(),
    last_used_at: time('About; Unix milliseconds, UTC'),
    expires_at: time('At the latest; Unix milliseconds, UTC'),
    address: nullable(text(MAXIMUM_ADDRESS, 'The network address it was begun from')),
    agent: nullable(text(MAXIMUM_AGENT, 'What the program called itself')),
    is_current: flag('The one that asks'),
  },
  { title: 'Session' },
)

const common = { tag: 'Authentication', permission: 'authenticated', enrolling: true } as const

export function sessionsEndpoints(app: AccessApp): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listSessions',
      path: '/auth/sessions',
      origin: { ours: 'people see where they are logged in' },
      summary: 'List the own sessions',
      description: 'Those that have not ended, newest first.',
      data: SessionRecord,
      list: ({ principal: { workspace, user_id, session_id } }) => ({
        select: sql`
          select ${columnsOf(SessionRecord, { computed: { is_current: sql`id = ${session_id}` } })}
          from sessions`,
        conditions: [
          sql`workspace = ${workspace}`,
          sql`user_id = ${user_id}`,
          isLive(app, app.clock.now()),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      operation_id: 'endSession',
      path: '/auth/sessions/:session_id',
      origin: { ours: 'people end a session that they left open, or that is not theirs' },
      summary: 'End a session of the own',
      description: 'Its tokens are no longer accepted.',
      params: closed({ session_id: id() }),
      data: closed({ id: id('The session') }, { title: 'EndedSession' }),
      effect: 'transaction',
      async handle({ params: { session_id }, principal, source }, tx) {
        await endOwnSession(app, tx, { ...principal, ended_id: session_id }, source)
        return { id: session_id }
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'logout',
      path: '/auth/logout',
      origin: { ours: 'a session can end before its time' },
      summary: 'End the session',
      description: 'Its access tokens and its refresh token are no longer accepted.',
      data: closed({ id: id('The session') }, { title: 'EndedSession' }),
      effect: 'transaction',
      async handle({ principal, source }, tx) {
        const { session_id } = principal
        await endOwnSession(app, tx, { ...principal, ended_id: session_id }, source)
        return { id: session_id }
      },
    }),
  ]
}
