/** What a route to a destination over each of Bitstamp's protocols must carry. */
import type { TransferField, TransferFields } from '../../contract.ts'
import { isMoney, isTagged } from '../../terms.ts'
import type { Term } from '../../terms.ts'

const field = (name: string, description: string, required = true): TransferField => ({
  name,
  type: 'string',
  required,
  description,
})

/** What Bitstamp asks about the holder of a bank account. */
export const BANK_FIELDS = [
  field('name', 'Holder of the bank account'),
  { ...field('bic', 'BIC of the bank'), format: 'BIC' as const },
  field('address', 'Street and number of the holder'),
  field('postal_code', 'Postal code of the holder'),
  field('city', 'City of the holder'),
  field('country', 'Country of the holder, two letters (ISO 3166-1)'),
  field('reference', 'Text for the recipient', false),
]
const TAG_FIELDS = [field('tag', 'Destination tag, where the destination has one', false)]

export function fieldsOf(entry: Term): TransferFields {
  if (isMoney(entry)) return { from: [], to: BANK_FIELDS }
  return { from: [], to: isTagged(entry) ? TAG_FIELDS : [] }
}
