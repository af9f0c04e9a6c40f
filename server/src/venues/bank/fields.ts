/** The protocols of a bank and the fields that a route over each must carry. */
import { refuse } from '../../core/errors.ts'
import type { TransferFields } from '../contract.ts'
import { ADDRESS_FIELDS } from './postal-address.ts'
import { MAXIMUM_NAME, MAXIMUM_REMITTANCE } from './reference.ts'

const SEPA = 'SEPA'
/** Sent at once or not at all: never as a payment of another kind. */
export const SEPA_INSTANT = 'SEPA_INSTANT'
export const FOREIGN = 'FOREIGN'

const PAYEE: TransferFields['to'] = [
  {
    name: 'name',
    type: 'string',
    required: true,
    characters: 'SEPA',
    maximum: MAXIMUM_NAME,
    description: 'Who is paid, as their bank knows them',
  },
  {
    name: 'reference',
    type: 'string',
    required: true,
    characters: 'SEPA',
    maximum: MAXIMUM_REMITTANCE,
    description:
      'What the payee reads before the purpose of each payment. If both together, with a space ' +
      'between them, exceed 140 characters, it is sent alone: keep it short',
  },
]
const IN_SEPA: TransferFields = { from: [], to: [...PAYEE, ...ADDRESS_FIELDS] }
const FIELDS: Record<string, TransferFields> = {
  [SEPA]: IN_SEPA,
  [SEPA_INSTANT]: IN_SEPA,
  [FOREIGN]: {
    from: [],
    to: [
      ...PAYEE,
      {
        name: 'bic',
        type: 'string',
        required: false,
        format: 'BIC',
        description: "BIC of the recipient's credit institution; this or the ABA number is needed",
      },
      {
        name: 'credit_institution',
        type: 'string',
        required: false,
        characters: 'SEPA',
        maximum: MAXIMUM_REMITTANCE,
        description: "Name of the recipient's credit institution",
      },
      {
        name: 'aba',
        type: 'string',
        required: false,
        format: 'ABA',
        description:
          "ABA routing number of the recipient's credit institution; this or the BIC is needed",
      },
      ...ADDRESS_FIELDS,
    ],
    one_of: ['bic', 'aba'],
  },
}

/** What the protocols of an account follow from. */
type Offer = { currency: string; instant: object | null }

/** All draw on one account, whose balance stands under the first. SEPA moves euros only. */
export function protocolsOf({ currency, instant }: Offer): [string, ...string[]] {
  if (currency !== 'EUR') return [FOREIGN]
  return instant === null ? [SEPA, FOREIGN] : [SEPA, SEPA_INSTANT, FOREIGN]
}

/** Undefined when the bank does not move the asset in this way. */
export function fieldsOf(
  offer: Offer,
  asset: string,
  protocol: string,
): TransferFields | undefined {
  return asset === offer.currency && protocolsOf(offer).includes(protocol)
    ? FIELDS[protocol]
    : undefined
}

/** Throws UNSUPPORTED_BY_VENUE. */
export function mustHaveFields(offer: Offer, asset: string, protocol: string): TransferFields {
  const fields = fieldsOf(offer, asset, protocol)
  if (fields === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'protocol', protocolObjection(asset, protocol))
  return fields
}

export const protocolObjection = (asset: string, protocol: string): string =>
  `${asset} by ${protocol} is not possible at this bank`
