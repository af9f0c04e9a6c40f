/**
 * Postal addresses in their elements. Free lines are not written: SEPA and SWIFT refuse them since
 * 15 November 2026 (EPC, guidance on the provision of addresses, version 2.1), and want at least
 * town and country.
 */
import { checkCountry } from '../addresses.ts'
import type { TransferField } from '../contract.ts'
import { sepaText } from './reference.ts'

/** In the order of the message. `needs`: an address without them is none. */
const ELEMENTS = [
  { name: 'street', element: 'StrtNm', maximum: 70, needs: ['town', 'country'] },
  { name: 'building_number', element: 'BldgNb', maximum: 16, needs: ['street'] },
  { name: 'post_code', element: 'PstCd', maximum: 16, needs: ['town', 'country'] },
  { name: 'town', element: 'TwnNm', maximum: 35, needs: ['country'] },
  { name: 'country', element: 'Ctry', maximum: 2, needs: ['town'] },
] as const
type Name = (typeof ELEMENTS)[number]['name']

export const ADDRESS_NAMES: readonly Name[] = ELEMENTS.map(({ name }) => name)

/** The parts by their elements, in SEPA characters; empty where no address is known. */
export type PostalAddress = Partial<Record<(typeof ELEMENTS)[number]['element'], string>>

const DESCRIPTIONS: Record<Name, string> = {
  street: "Street of the recipient's address",
  building_number: "Building number of the recipient's address",
  post_code: "Post code of the recipient's address",
  town: "Town of the recipient's address",
  country: "Country of the recipient's address: two letters of ISO 3166, like DE",
}

/** What a route may say of the recipient's address. */
export const ADDRESS_FIELDS: TransferField[] = ELEMENTS.map(({ name, maximum, needs }) => ({
  name,
  type: 'string',
  required: false,
  description: DESCRIPTIONS[name],
  needs: [...needs],
  ...(name === 'country' ? { format: 'COUNTRY' } : { characters: 'SEPA', maximum }),
}))

/** The address among these texts, or why there is none that a bank takes. */
export function addressOf(
  values: Readonly<Record<string, string | undefined>>,
): PostalAddress | { objection: string } {
  const address: PostalAddress = {}
  for (const { name, element, maximum, needs } of ELEMENTS) {
    const value = values[name] || undefined
    if (value === undefined) continue
    const missing = needs.find((needed) => !values[needed])
    if (missing !== undefined) return { objection: `the address has a ${name} and no ${missing}` }
    const text = sepaText(value)
    if (!text || text.length > maximum)
      return { objection: `the ${name} of the address is too long or not in SEPA characters` }
    address[element] = text
  }
  return address.Ctry === undefined || checkCountry(address.Ctry) === 'valid'
    ? address
    : { objection: `${address.Ctry} is not a country` }
}

/** As a part of a party in a message. */
export const postalAddress = (address: PostalAddress): { PstlAdr?: PostalAddress } =>
  Object.keys(address).length === 0 ? {} : { PstlAdr: address }

/** The same as text: SEPA characters need no escaping. */
export function postalAddressXml(address: PostalAddress): string {
  const parts = Object.entries(address).map(([element, text]) => `<${element}>${text}</${element}>`)
  return parts.length === 0 ? '' : `<PstlAdr>${parts.join('')}</PstlAdr>`
}
