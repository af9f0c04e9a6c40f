/** Whose account a payment is taken from, and what happens to one that names no account. */
import type { ReactNode } from 'react'
import type { Fact } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import { Name } from '../../parts/values.tsx'
import type { Route } from './route-facts.tsx'

const HELD = t('The amount is held on this account at once.')
const NOBODY = t('Without an account nobody is debited:')
const SUSPENSE = t('it is booked to suspense until somebody assigns it')

/** Without an account, what goes to a wallet at a venue of ours stays the money of the house. */
export const isAtVenue = ({ to_wallet }: Route): boolean => to_wallet.venue_id !== null

export function accountHelp(route: Route | undefined): string {
  if (route === undefined) return HELD
  const without = isAtVenue(route) ? t('it stays money of the house') : SUSPENSE
  return `${HELD} ${NOBODY} ${without}.`
}

export function factsOfAccount(route: Route, account_id: string | undefined): Fact[] {
  if (account_id !== undefined)
    return [{ label: t('Account'), value: <Name of="account" id={account_id} /> }]
  const value = isAtVenue(route)
    ? t('None. It stays money of the house.')
    : t('None. Nobody is debited: {{suspense}}. The overview lists it until then.', {
        suspense: SUSPENSE,
      })
  const warning = { label: t('Warning'), value: <ReceiverWarning route={route} /> }
  return [{ label: t('Account'), value }, ...(receiverOf(route) === null ? [] : [warning])]
}

const receiverOf = ({ to_wallet }: Route): string | null => to_wallet.customer_id

/** Somebody who pays to a customer's wallet has mostly forgotten the account. */
export function ReceiverWarning({
  route,
  account_id,
}: {
  route: Route | undefined
  account_id?: string | undefined
}): ReactNode {
  const customer_id = route === undefined || account_id !== undefined ? null : receiverOf(route)
  if (customer_id === null) return null
  return (
    <span className="warns" role="alert">
      <Trans
        i18nKey={
          'It goes to the wallet of <name/>, and no account is debited. Choose the ' +
          'account if it is this customer’s money.'
        }
        components={{ name: <Name of="customer" id={customer_id} /> }}
      />
    </span>
  )
}
