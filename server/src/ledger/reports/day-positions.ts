/**
 * What every account held before a moment, for who values it. A row costs a mark and what was
 * booked on its account since: never what was booked before.
 */
import type { AccountId, CustomerId, VenueId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { AccountType } from '../ledger.schema.ts'
import { firstUnbookedSequence, totalsOf } from './books.ts'
import type { BooksReader } from './books.ts'
import { lastMark, withMark } from './marks.ts'
import type { TypeTotal } from './marks.ts'

/** In the normal sign of the account. */
export type DayPosition = {
  account_id: AccountId
  account_type: AccountType
  account_label: string
  customer_id: CustomerId | null
  venue_id: VenueId | null
  asset: string
  quantity: string
}

/** `type` and what follows name accounts; `assets` what they hold. */
export type PositionFilter = {
  type?: AccountType[]
  account_id?: AccountId
  customer_id?: CustomerId
  venue_id?: VenueId
  assets?: string[]
}

/** As a list reads it, by account and asset; without what was 0. Throws RANGE. */
export async function positionsBefore(
  books: BooksReader,
  at: number,
  filter: PositionFilter,
): Promise<{ select: Query; conditions: Query[] }> {
  const { reader, workspace } = books
  const end = await firstUnbookedSequence(books, at, 'day')
  const marked = await lastMark(reader, workspace, end)
  const { type, account_id, customer_id, venue_id, assets } = filter
  return {
    select: sql`
      select b.account_id, a.type as account_type, a.label as account_label, a.customer_id,
        a.venue_id, b.asset, coalesce(l.balance_after, m.total) as quantity
      from balances b
      join accounts a on a.workspace = b.workspace
        and a.id = b.account_id
      ${withMark(marked)}
      left join lateral (
        select s.balance_after
        from legs s
        join bookings k on k.workspace = s.workspace
          and k.sequence = s.booking_sequence
          and k.asset = b.asset
        where s.workspace = b.workspace
          and s.account_id = b.account_id
          and s.booking_sequence > ${marked}
          and s.booking_sequence < ${end}
        order by s.booking_sequence desc, s.leg_no desc
        limit 1
      ) l on true`,
    conditions: [
      sql`b.workspace = ${workspace}`,
      sql`coalesce(l.balance_after, m.total, 0) <> 0`,
      ...(type === undefined ? [] : [sql`a.type = any(${type}::text[])`]),
      ...(account_id === undefined ? [] : [sql`b.account_id = ${account_id}`]),
      ...(customer_id === undefined ? [] : [sql`a.customer_id = ${customer_id}`]),
      ...(venue_id === undefined ? [] : [sql`a.venue_id = ${venue_id}`]),
      ...(assets === undefined ? [] : [sql`b.asset = any(${assets}::text[])`]),
    ],
  }
}

/** The same, by type of account and asset; without what was 0. Throws RANGE. */
export async function typesBefore(books: BooksReader, at: number): Promise<TypeTotal[]> {
  return (await totalsOf(books, at, 'day')).filter(({ total }) => total !== 0n)
}
