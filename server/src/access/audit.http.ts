/** The audit trail as a list; the security log is the part of it that is about access. */
import { firstIdAt } from '../core/ids.ts'
import { closed, listEndpoint, queryId, queryOneOf, queryText, queryTime } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnsOf } from '../store/rows.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { AuditEntry, OUTCOMES, REFUSED_KINDS } from './security-log.schema.ts'

type Outcome = AuditEntry['outcome']

/** As the indexes say it. */
const REFUSED = raw(`kind in (${REFUSED_KINDS.map((kind) => `'${kind}'`).join(', ')})`)
const FAILED = sql`kind = 'CALL_FAILED'`

const CONDITIONS: Readonly<Record<Outcome, Query>> = {
  DONE: sql`not (${REFUSED}) and not (${FAILED})`,
  REFUSED,
  FAILED,
}

/** Who did it by name, where it was a user. */
const EMAIL = sql`coalesce(
  email,
  (
    select users.email
    from users
    where users.workspace = security_log.workspace
      and users.id = coalesce(
        user_id,
        case when actor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then actor::uuid end
      )
  )
)`

const COLUMNS = columnsOf(AuditEntry, {
  computed: {
    email: EMAIL,
    outcome: sql`case
      when ${REFUSED} then 'REFUSED'
      when ${FAILED} then 'FAILED'
      else 'DONE'
    end`,
  },
})

export function auditEndpoint(): Endpoint {
  return listEndpoint({
    operation_id: 'listAuditTrail',
    path: '/audit',
    origin: { ours: 'auditors see who did what, from where, to which record' },
    tag: 'Security log',
    summary: 'List the audit trail',
    description:
      'Every call that changed something, every one that was refused or failed, reads of ' +
      'personal data, and the security log, newest first. An entry is about one record: a ' +
      'call that changed several has several, with the same `request_id`. `details` name the ' +
      'events of it, or why it was refused. Reads and refusals appear within a second; those ' +
      'that are alike are one entry with a count.',
    permission: 'audit.read',
    query: closed({
      actor: queryText(100),
      operation: queryText(100),
      record_id: queryId(),
      outcome: queryOneOf(OUTCOMES),
      occurred_at_from: queryTime(),
      occurred_at_to: queryTime(),
    }),
    data: AuditEntry,
    list: ({ principal, query }) => {
      const { actor, operation, record_id, outcome = [] } = query
      const { occurred_at_from: from, occurred_at_to: to } = query
      const [first = ALL, ...merged] = [...new Set(outcome)].map(entriesOf)
      const conditions = [
        sql`workspace = ${principal.workspace}`,
        ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
        ...(operation === undefined ? [] : [sql`operation = ${operation}`]),
        ...(record_id === undefined ? [] : [sql`record_id = ${record_id}`]),
        ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
        ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
      ]
      return { select: first, merged, conditions, key: { column: 'id', type: 'uuid' } }
    },
  })
}

const ALL = sql`
  select ${COLUMNS}
  from security_log`

/** Each outcome is read by itself, from the index that has it in order. */
const entriesOf = (outcome: Outcome): Query => sql`
  select ${COLUMNS}
  from (
    select *
    from security_log
    where ${CONDITIONS[outcome]}
  ) as security_log`
