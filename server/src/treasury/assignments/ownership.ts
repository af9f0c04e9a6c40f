/**
 * Whose money a movement moves, as the lists and records of deposits and withdrawals show it. It is
 * worked out from the facts of the movement and its assignments when it is read: two look-ups by
 * an index for each row that is shown, whatever the history. Of an answer that is made before its
 * commit, `ownershipOf` says the same.
 */
import { decimal } from '../../core/decimal.ts'
import type { AccountId, CustomerId } from '../../core/ids.ts'
import { id, nullable, oneOf } from '../../http/index.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ASSIGNMENT_MOVES } from './assignments.schema.ts'

const NATURES = [
  'CUSTOMER',
  'HOUSE',
  'OWN_TRANSFER',
  'SETTLEMENT',
  'VENUE',
  'MIXED',
  'UNASSIGNED',
] as const
type Nature = (typeof NATURES)[number]

export const nature = () =>
  oneOf(
    NATURES,
    'Whose money it moves. SETTLEMENT: it pays for a settlement with a venue. OWN_TRANSFER: all ' +
      'of it stays ours, between two wallets of ours. VENUE: the venue itself sent or took it, ' +
      "and nobody's account has it. CUSTOMER: of customers. HOUSE: of accounts of the house. " +
      'MIXED: of several of these. UNASSIGNED: nobody has it yet. What is not assigned of a ' +
      'movement does not count while accounts have a part of it',
  )

export const soleCustomer = () =>
  nullable(
    id<CustomerId>(
      'The customer to whose account all is assigned that is assigned of it; null while nobody ' +
        'has it, or several accounts do',
    ),
  )

export const soleAccount = () =>
  nullable(
    id<AccountId>(
      'The account to which all is assigned that is assigned of it; null while nobody has it, or ' +
        'several accounts do',
    ),
  )

type Owner = { account_id: string; customer_id: string | null }
type Ownership = { account_id: AccountId | null; customer_id: CustomerId | null; nature: Nature }

/** `by_venue`: the venue itself has sent or taken it. */
type Facts = {
  quantity: string
  transfer_quantity: string
  settlement_id: string | null
  by_venue: boolean
}

/** `owners`: of its assignments that count. */
export function ownershipOf(facts: Facts, owners: readonly Owner[]): Ownership {
  const [first, ...others] = owners
  const sole = others.every(({ account_id }) => account_id === first?.account_id)
  const { account_id = null, customer_id = null } = sole ? (first ?? {}) : {}
  return { account_id, customer_id, nature: natureOf(facts, owners) }
}

function natureOf(facts: Facts, owners: readonly Owner[]): Nature {
  const transfer = decimal(facts.transfer_quantity)
  if (facts.settlement_id !== null) return 'SETTLEMENT'
  if (transfer === decimal(facts.quantity)) return 'OWN_TRANSFER'
  if (transfer > 0n) return 'MIXED'
  const customers = owners.filter(({ customer_id }) => customer_id !== null).length
  if (owners.length === 0) return facts.by_venue ? 'VENUE' : 'UNASSIGNED'
  if (customers === 0) return 'HOUSE'
  return customers === owners.length ? 'CUSTOMER' : 'MIXED'
}

const COLUMN = { deposits: 'deposit_id', withdrawals: 'withdrawal_id' } as const

/** `by_venue` as above; `ended`: nothing moved, so what was rejected with it was to be theirs. */
type Movements = { of: keyof typeof COLUMN; by_venue: Query; ended?: Query }

/** Of its assignments that count, in a statement that selects from this table. */
const ofAssignments = (
  { of, ended = sql`false` }: Movements,
  value: string,
  having: string,
): Query => sql`(
      select ${raw(value)}
      from assignments a
      where a.workspace = ${raw(of)}.workspace
        and a.${raw(COLUMN[of])} = ${raw(of)}.id
        and a.rectification_id is null
        and (${stateIn(ASSIGNMENT_MOVES, ['PENDING', 'SUCCESSFUL'], 'a.state')} or ${ended})
      having ${raw(having)}
    )`

const sole = (movements: Movements, field: keyof Owner): Query =>
  ofAssignments(movements, `(array_agg(a.${field}))[1]`, 'count(distinct a.account_id) = 1')

/** What is computed of a row. */
export const ownershipColumns = (movements: Movements) => ({
  account_id: sole(movements, 'account_id'),
  customer_id: sole(movements, 'customer_id'),
  nature: sql`
    case
      when settlement_id is not null then 'SETTLEMENT'
      when transfer_quantity = quantity then 'OWN_TRANSFER'
      when transfer_quantity > 0 then 'MIXED'
      else coalesce(
        ${ofAssignments(
          movements,
          `case
            when every(a.customer_id is not null) then 'CUSTOMER'
            when every(a.customer_id is null) then 'HOUSE'
            else 'MIXED'
          end`,
          'count(*) > 0',
        )},
        case when ${movements.by_venue} then 'VENUE' else 'UNASSIGNED' end
      )
    end`,
})
