/**
 * What has to accompany a transfer of coins: Regulation (EU) 2023/1113, Article 14(1) and (2), as
 * far as IVMS 101 does not want it of its own. It is due from the first unit on: the 1,000 EUR of
 * Articles 5 and 6 are of funds, those of 14(5) and 16(2) of self-hosted addresses (recital 30).
 */
import type { Parties, PersonAt } from './parties.ts'

/** What is not there, in the words of the standard. Empty: all is there. */
export function missingOf(parties: Parties, destination_address: string): string[] {
  const { path, originators, originator_accounts, beneficiary_accounts } = parties
  const missing = originators.flatMap(({ kinds }) => kinds.flatMap(missingOfOriginator))
  // The address that is debited, or the account with its provider.
  if (originator_accounts.length === 0) missing.push(`${path}.originator.accountNumber`)
  if (!beneficiary_accounts.includes(destination_address))
    missing.push(
      `${path}.beneficiary.accountNumber with the address ${destination_address}, exactly as it ` +
        'is paid',
    )
  return missing
}

/** Address, document number and customer number; or date and place of birth. */
function missingOfOriginator(person: PersonAt): string[] {
  const { path, addresses, national, customer, customer_field, birth } = person
  if (birth !== undefined) return []
  const fields = [
    ...(addresses.length > 0 ? [] : ['geographicAddress']),
    ...(national !== undefined ? [] : ['nationalIdentification']),
    ...(customer !== undefined ? [] : [customer_field]),
  ]
  if (fields.length === 0) return []
  const instead = person.kind === 'NATURAL' ? ' (or dateAndPlaceOfBirth)' : ''
  return [`${path}: ${fields.join(', ')}${instead}`]
}
