/**
 * What a route to a destination may carry at OKX: who receives, where the law asks for it
 * ("Withdrawal", `rcvrInfo`; without it OKX refuses with 58237 or 58238).
 */
import type { TransferDetails, TransferField, TransferFields } from '../../contract.ts'
import { isMoney, isTagged } from '../../terms.ts'
import type { Term } from '../../terms.ts'

const field = (name: string, description: string): TransferField => ({
  name,
  type: 'string',
  required: false,
  description,
})

const RECEIVER: Readonly<Record<string, string>> = {
  wallet_type: 'walletType',
  exchange_id: 'exchId',
  first_name: 'rcvrFirstName',
  last_name: 'rcvrLastName',
  country: 'rcvrCountry',
  subdivision: 'rcvrCountrySubDivision',
  town: 'rcvrTownName',
  street: 'rcvrStreetName',
}

const RECEIVER_FIELDS: TransferField[] = [
  {
    ...field('wallet_type', 'Whose wallet it is, where the law of the account asks for it'),
    enum: ['private', 'exchange'],
  },
  field('exchange_id', 'The exchange of the wallet by its id at OKX, 0 for one that OKX lacks'),
  field('first_name', 'First name of the receiver, or the name of a company'),
  field('last_name', 'Last name of the receiver, N/A for a company'),
  field('country', 'Country of the receiver, two letters (ISO 3166-1)'),
  field('subdivision', 'State or province of the receiver'),
  field('town', 'Town of the receiver'),
  field('street', 'Street of the receiver'),
]
const TAG_FIELDS = [field('tag', 'Destination tag, where the destination has one')]

/** A bank account is known to OKX: nothing is said of its holder. */
export function fieldsOf(term: Term): TransferFields {
  if (isMoney(term)) return { from: [], to: [] }
  return { from: [], to: isTagged(term) ? [...TAG_FIELDS, ...RECEIVER_FIELDS] : RECEIVER_FIELDS }
}

/** Undefined when the route says nothing of the receiver. */
export function receiverOf({ to }: TransferDetails): Record<string, string> | undefined {
  const said = Object.entries(RECEIVER).flatMap(([name, native]) => {
    const value = to[name] ?? ''
    return value === '' ? [] : [[native, value] as const]
  })
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

/** Why OKX would not take what the route says of the receiver ("Withdrawal", `rcvrInfo`). */
export function objectionToReceiver({ to }: TransferDetails): string | undefined {
  const { wallet_type = '' } = to
  const isSaid = Object.keys(RECEIVER).some((name) => (to[name] ?? '') !== '')
  if (!isSaid) return undefined
  if (wallet_type === '') return 'transfer.to.wallet_type is missing'
  const missing = ['exchange_id', 'first_name', 'last_name'].find((name) => (to[name] ?? '') === '')
  return wallet_type === 'exchange' && missing !== undefined
    ? `transfer.to.${missing} is missing`
    : undefined
}
