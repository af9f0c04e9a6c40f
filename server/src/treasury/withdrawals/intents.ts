/** That a transaction is being sent, or may have been: stored before its venue is asked. */
import { updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { WITHDRAWALS } from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/**
 * Stores that the transaction is being sent: for all of these withdrawals, or none. Answers when.
 * Not while another transaction with the same content as one of them has no reference of the venue
 * yet: a venue that keeps no reference of ours could not tell the two apart.
 */
export const storeIntent = (
  app: TreasuryApp,
  rows: TransactionGroup,
  sending: Pick<WithdrawalRow, 'execution_date' | 'sent_over'>,
): Promise<number | undefined> => {
  const now = app.clock.now()
  return store(app, rows, { set: { submitted_at: now, ...sending }, now })
}

/** Stores, in the same way, that it may have been sent at any time since then. */
export const storeAssumption = (
  app: TreasuryApp,
  rows: TransactionGroup,
  set: { submitted_at: number; sent_over: string | null },
): Promise<number | undefined> => store(app, rows, { set, now: app.clock.now() })

async function store(
  app: TreasuryApp,
  rows: TransactionGroup,
  { set, now }: { set: Partial<WithdrawalRow> & { submitted_at: number }; now: number },
): Promise<number | undefined> {
  const [{ workspace }] = rows
  const ids = rows.map((row) => row.id)
  const contents = rows
    .map((row) => `${row.venue_id} ${row.asset} ${row.destination_address} ${row.quantity}`)
    .toSorted()
  const free = sql`
    select w.id
    from withdrawals w
    where w.workspace = ${workspace}
      and w.id = any(${ids}::uuid[])
      and ${stateIn(WITHDRAWAL_MOVES, 'PENDING', 'w.state')}
      and w.submitted_at is null
      and ${app.history.stands()}
      and not exists (
        select
        from withdrawals other
        where other.workspace = w.workspace
          and other.venue_id = w.venue_id
          and other.submitted_at is not null
          and other.external_id <> w.external_id
          and other.asset = w.asset
          and other.destination_address = w.destination_address
          and other.quantity = w.quantity
          and other.foreign_id is null
          and other.state = any(${[...LIVE_STATES]})
      )
    order by w.id
    for update of w`
  return app.db.tx(async (tx) => {
    for (const content of contents)
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${content}, 0))`)
    const submit = updateRow(WITHDRAWALS, {
      where: sql`
        workspace = ${workspace}
        and id in (select id from free)
        and (select count(*) from free) = ${rows.length}`,
      set,
      by: TREASURY_WORKER,
      now,
    })
    const sent = await tx.query(sql`
      with free as (${free}) ${submit}
      returning 1`)
    return sent.length > 0 ? set.submitted_at : undefined
  })
}
