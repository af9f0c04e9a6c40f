/** The protocols of a bank and the fields that a route over each must carry. */
import { refuse } from '../../core/errors.ts'
import type { TransferFields } from '../contract.ts'
import { ADDRESS_FIELDS } from './postal-address.ts'

export const SEPA = 'SEPA'
export const FOREIGN = 'FOREIGN'

const PAYEE: TransferFields['to'] = [
  { name: 'name', type: 'string', required: true, description: 'Recipient name' },
  { name: 'reference', type: 'string', required: true, description: 'Payment reference' },
]
const FIELDS: Record<string, TransferFields> = {
  [SEPA]: { from: [], to: [...PAYEE, ...ADDRESS_FIELDS] },
  [FOREIGN]: {
    from: [],
    to: [
      ...PAYEE,
      {
        name: 'bic',
        type: 'string',
        required: false,
        format: 'BIC',
        description: "BIC of the recipient's credit institution; this or aba is needed",
      },
      {
        name: 'credit_institution',
        type: 'string',
        required: false,
        description: "Name of the recipient's credit institution",
      },
      {
        name: 'aba',
        type: 'string',
        required: false,
        format: 'ABA',
        description:
          "ABA routing number of the recipient's credit institution; this or bic is needed",
      },
      ...ADDRESS_FIELDS,
    ],
    one_of: ['bic', 'aba'],
  },
}

/** All draw on one account, whose balance stands under the first. SEPA moves euros only. */
export const protocolsOf = (currency: string): [string, ...string[]] =>
  currency === 'EUR' ? [SEPA, FOREIGN] : [FOREIGN]

/** Undefined when the bank does not move the asset in this way. */
export function fieldsOf(
  currency: string,
  asset: string,
  protocol: string,
): TransferFields | undefined {
  return asset === currency && protocolsOf(currency).includes(protocol)
    ? FIELDS[protocol]
    : undefined
}

/** Throws UNSUPPORTED_BY_VENUE. */
export function mustHaveFields(currency: string, asset: string, protocol: string): TransferFields {
  const fields = fieldsOf(currency, asset, protocol)
  if (fields === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', protocolObjection(asset, protocol))
  return fields
}

export const protocolObjection = (asset: string, protocol: string): string =>
  `${asset} by ${protocol} is not possible at this bank`
