/** How the vault treats the ledgers of its assets. */
import type { Term } from '../terms.ts'

type CustomFee = 'networkFee' | 'fee' | 'feePerByte'

/**
 * How a request names a fee of our own: the total, or the price of a byte (`fee` of the OpenAPI
 * description: for all chains with outputs, and the total for Ripple). Undefined: it cannot.
 */
export function customFeeOf({
  ledger,
  protocol,
}: Pick<Term, 'ledger' | 'protocol'>): CustomFee | undefined {
  if (ledger === 'OUTPUTS') return 'feePerByte'
  if (ledger === 'GAS') return 'networkFee'
  return protocol === 'XRP' ? 'fee' : undefined
}

/** Whether one transaction can pay several destinations. */
export const hasManyOutputs = ({ ledger }: Pick<Term, 'ledger'>): boolean => ledger === 'OUTPUTS'

/** Whether one wallet can have further addresses or tags. */
export const hasManyAddresses = ({ ledger }: Pick<Term, 'ledger'>): boolean => ledger !== 'GAS'

const HEXADECIMAL = /^0x[0-9a-f]+$/
/** BIP 173: a word of the chain, `1`, and some of the characters; one case only. */
const BECH32 = /^[a-z]{2,10}1[02-9ac-hj-np-z]{6,}$/

/** Whether two spellings are one address; hexadecimal and bech32 addresses have two cases. */
export function sameAddress(one: string, other: string): boolean {
  const plain = (address: string) => {
    const small = address.toLowerCase()
    if (HEXADECIMAL.test(small)) return small
    return BECH32.test(small) && (address === small || address === address.toUpperCase())
      ? small
      : address
  }
  return plain(one) === plain(other)
}
