import { firstIdAt } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import {
  closed,
  listEndpoint,
  MAXIMUM_EMAIL,
  queryId,
  queryOneOf,
  queryText,
  queryTime,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { SECURITY_KINDS, SecurityEntry } from './security-log.schema.ts'
import { normalizeEmail } from './emails.ts'

const COLUMNS = columnsOf(SecurityEntry, {
  computed: {
    email: sql`coalesce(
      email,
      (
        select users.email
        from users
        where users.workspace = security_log.workspace
          and users.id = user_id
      )
    )`,
  },
})

/** Each kind is read by itself, from the index that has it in order. */
const entriesOf = (kind: SecurityEntry['kind']) => sql`
  select ${COLUMNS}
  from (
    select *
    from security_log
    where kind <> 'CALLED' and kind = ${kind}
  ) as security_log`

/** The rest of the audit trail is not part of it. */
const ALL_ENTRIES = sql`
  select ${COLUMNS}
  from (
    select *
    from security_log
    where kind not in ('CALLED', 'CALL_REFUSED', 'CALL_FAILED', 'READ')
  ) as security_log`

/** Of the user who has this e-mail address now. */
const ofEmail = (workspace: WorkspaceId, email: string) => sql`user_id = (
  select users.id
  from users
  where users.workspace = ${workspace}
    and users.email = ${normalizeEmail(email)}
)`

export function securityLogEndpoint(): Endpoint {
  return listEndpoint({
    operation_id: 'listSecurityLog',
    path: '/security-log',
    origin: { ours: 'auditors see who got in, who was refused, and who changed users' },
    tag: 'Security log',
    summary: 'List the security log',
    description:
      'Sign-ins, refusals, and changes of users, roles, passwords and configuration, newest ' +
      'first. Refusals that are alike within a moment are one entry with a count, and appear ' +
      'within a second. `user_id` is whose account it is about, `actor` who did it.',
    permission: 'audit.read',
    query: closed({
      kind: queryOneOf(SECURITY_KINDS),
      user_id: queryId<UserId>(),
      email: queryText(MAXIMUM_EMAIL),
      actor: queryText(100),
      occurred_at_from: queryTime(),
      occurred_at_to: queryTime(),
    }),
    data: SecurityEntry,
    list: ({ principal, query: { kind = [], user_id, email, actor, ...times } }) => {
      const [first = ALL_ENTRIES, ...merged] = [...new Set(kind)].map(entriesOf)
      const conditions = [
        sql`workspace = ${principal.workspace}`,
        ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
        ...(email === undefined ? [] : [ofEmail(principal.workspace, email)]),
        ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
        ...(times.occurred_at_from === undefined
          ? []
          : [sql`id >= ${firstIdAt(times.occurred_at_from)}`]),
        ...(times.occurred_at_to === undefined
          ? []
          : [sql`id < ${firstIdAt(times.occurred_at_to)}`]),
      ]
      return { select: first, merged, conditions, key: { column: 'id', type: 'uuid' } }
    },
  })
}
