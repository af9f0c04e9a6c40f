import { listEndpoint } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { SignedHead } from './heads.schema.ts'

const COLUMNS = columnsOf(SignedHead, {
  computed: {
    deliveries: sql`(
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'target', target, 'recipient', recipient, 'delivered_at', delivered_at,
            'attempts', attempts, 'reason', reason
          )
          order by target, recipient
        ),
        '[]'
      )
      from head_deliveries d
      where d.workspace = heads.workspace
        and d.number = heads.number
    )`,
  },
})

export function headsEndpoints(): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listSignedHeads',
      ordered_by: 'sequence',
      path: '/signed-heads',
      origin: { ours: 'auditors prove that nothing was rewritten' },
      tag: 'Signed heads',
      summary: 'List the signed heads',
      description:
        'Where the chains of bookings, events and security log ended on each day, signed; the ' +
        'last one first. docs/operations.md, Signed heads, says how to verify them.',
      permission: 'audit.read',
      data: SignedHead,
      list: ({ principal }) => ({
        select: sql`
          select ${COLUMNS}
          from heads`,
        conditions: [sql`workspace = ${principal.workspace}`],
        key: { column: 'number', type: 'bigint' },
      }),
    }),
  ]
}
