/** Whose money a deposit or a withdrawal moves: the customer's name, or a tag for any other. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import type { Column, NameOf } from '../../list/columns.tsx'
import { inWords } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'
import type { Withdrawal } from './assign.tsx'
import type { Deposit } from './open-rest.ts'
import './treasury.css'

type Movement = Pick<Deposit | Withdrawal, 'nature' | 'customer_id' | 'account_id'> & {
  state: string
  returns_deposit_id?: string | null
}
type Nature = Movement['nature']
type Tag = { says: string; means: string; look?: string }

/** What nobody owned, and its sender has again or gets again. */
const SENT_BACK: Tag = {
  says: t('Its sender'),
  means: t('It was assigned to nobody, and goes back to its sender'),
  look: 'venue',
}

const TAGS: Readonly<Record<Nature, Tag>> = {
  CUSTOMER: { says: t('Several'), means: t('Several customers share it') },
  HOUSE: { says: t('House'), means: t('It belongs to an account of the house') },
  OWN_TRANSFER: {
    says: t('Own transfer'),
    means: t('It stays ours: it moves between our own wallets'),
  },
  SETTLEMENT: { says: t('Settlement'), means: t('It pays for a settlement with a venue') },
  VENUE: { says: t('Venue'), means: t('The venue itself sent or took it, and nobody owns it') },
  MIXED: { says: t('Mixed'), means: t('Several own it: customers, the house, or an own transfer') },
  UNASSIGNED: { says: t('Nobody yet'), means: t('It is not assigned to an account') },
}

const tagOf = ({ nature, state, returns_deposit_id = null }: Movement): Tag =>
  nature === 'UNASSIGNED' && (state === 'RETURNED' || returns_deposit_id !== null)
    ? SENT_BACK
    : TAGS[nature]

function Whose({ movement }: { movement: Movement }): ReactNode {
  const { nature, customer_id, account_id } = movement
  if (nature === 'CUSTOMER' && customer_id !== null) return <Name of="customer" id={customer_id} />
  const { says, means, look = nature.toLowerCase() } = tagOf(movement)
  return (
    <span className="whose">
      <span className={`nature ${look}`} title={means}>
        {says}
      </span>
      {nature === 'HOUSE' && account_id !== null && <Name of="account" id={account_id} />}
    </span>
  )
}

/** In the list, and first in the record. */
export const WHOSE = {
  key: 'nature',
  title: t('Owner'),
  width: 225,
  value: ({ nature, customer_id }: Movement) => `${inWords(nature)} ${customer_id ?? ''}`,
  names: ['customer', 'account'],
  text: (movement: Movement, nameOf: NameOf) => {
    const { nature, customer_id, account_id } = movement
    if (nature === 'CUSTOMER' && customer_id !== null) return nameOf('customer', customer_id)
    const { says } = tagOf(movement)
    return nature === 'HOUSE' && account_id !== null
      ? `${says}: ${nameOf('account', account_id)}`
      : says
  },
  render: (movement: Movement) => <Whose movement={movement} />,
  leads: ({ nature, customer_id }: Movement) =>
    nature === 'CUSTOMER' && customer_id !== null ? { kind: 'customer', id: customer_id } : null,
} as const satisfies Column<Movement>

/** To be chosen. */
export const OWNER_COLUMNS = [
  { key: 'customer_id', title: t('Customer'), kind: 'customer', extra: true },
  { key: 'account_id', title: t('Account'), kind: 'account', extra: true },
] as const
