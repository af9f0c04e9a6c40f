/**
 * What IVMS 101 wants beyond the form of its elements. Each refusal says the constraint by the name
 * that the standard gives it, and by its number where a public source has it: the texts of C9 and
 * C10 in github.com/trisacrypto/directory/issues/34, the other numbers in
 * github.com/TransactionAuthorizationProtocol/ivms101, the names in trisacrypto/trisa.
 */
import { refuse } from '../core/errors.ts'
import type { DetailCode } from '../core/errors.ts'
import { COUNTRIES } from './countries.ts'
import type { Address } from './ivms101.schema.ts'
import type { Parties, PersonAt, Slot } from './parties.ts'

type Broken = { code: DetailCode; path: string; message: string }

const LEI = /^[A-Z0-9]{18}[0-9]{2}$/
/** The list of GLEIF itself is not here: a code that it does not have passes when it looks so. */
const AUTHORITY = /^RA[0-9]{6}$/

/** Throws with the first constraint that does not hold. `today`: a day like 2026-11-23, UTC. */
export function assertConstraints(parties: Parties, today: string): void {
  for (const broken of brokenConstraints(parties, today))
    throw refuse(broken.code, broken.path, broken.message)
}

/** All that do not hold. */
export function brokenConstraints(parties: Parties, today: string): Broken[] {
  const { originators, beneficiaries, providers } = parties
  return [
    ...[...originators, ...beneficiaries, ...providers].flatMap((slot) => ofSlot(slot, today)),
    ...originators.flatMap(({ kinds }) => (kinds.length === 1 ? kinds.flatMap(ofOriginator) : [])),
    ...ofSequence(parties),
  ]
}

const broken = (code: DetailCode, path: string, message: string): Broken => ({
  code,
  path,
  message,
})

function ofSlot({ path, kinds }: Slot, today: string): Broken[] {
  if (kinds.length === 1) return kinds.flatMap((person) => ofPerson(person, today))
  const message = 'Person: either naturalPerson or legalPerson'
  return [broken(kinds.length === 0 ? 'REQUIRED' : 'CONFLICT', path, message)]
}

function ofPerson(person: PersonAt, today: string): Broken[] {
  const { path, kind, name_types, addresses, birth, country } = person
  const found: Broken[] = []
  if (!name_types.includes('LEGL')) {
    const name =
      kind === 'NATURAL' ? 'C6 LegalNamePresentNaturalPerson' : 'C5 LegalNamePresentLegalPerson'
    const message = `${name}: one nameIdentifier has to be of type LEGL`
    found.push(broken('REQUIRED', `${path}.name.nameIdentifier`, message))
  }
  if (birth !== undefined && !(isDay(birth.dateOfBirth) && birth.dateOfBirth < today))
    found.push(
      broken(
        'RANGE',
        `${path}.dateAndPlaceOfBirth.dateOfBirth`,
        'C2 DateInPast: dateOfBirth has to be a day before today',
      ),
    )
  return [
    ...found,
    ...ofCountry(`${path}.${country.field}`, country.code),
    ...addresses.flatMap((address, at) => ofAddress(`${path}.geographicAddress[${at}]`, address)),
    ...ofNational(person),
  ]
}

/** A day that the calendar has. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}

const ofCountry = (path: string, code: string | undefined): Broken[] =>
  code === undefined || COUNTRIES.has(code)
    ? []
    : [broken('ENUM', path, `${code} is no country of ISO 3166-1 alpha-2, and not XX`)]

function ofAddress(path: string, address: Address): Broken[] {
  const { addressLine = [], streetName, buildingName, buildingNumber } = address
  const structured = streetName !== undefined && (buildingName ?? buildingNumber) !== undefined
  const message =
    'C8 ValidAddress: addressLine, or streetName with buildingName or buildingNumber, is needed'
  return [
    ...(addressLine.length > 0 || structured ? [] : [broken('REQUIRED', path, message)]),
    ...ofCountry(`${path}.country`, address.country),
  ]
}

function ofNational({ path: at, kind, national }: PersonAt): Broken[] {
  if (national === undefined) return []
  const path = `${at}.nationalIdentification`
  const { nationalIdentifier, nationalIdentifierType: type } = national
  const { countryOfIssue, registrationAuthority } = national
  const found = ofCountry(`${path}.countryOfIssue`, countryOfIssue)
  if (type === 'LEIX' && !LEI.test(nationalIdentifier)) {
    const message = 'C11 ValidLEI: 18 capital letters or digits, and two digits'
    found.push(broken('FORMAT', `${path}.nationalIdentifier`, message))
  }
  if (registrationAuthority !== undefined && !AUTHORITY.test(registrationAuthority)) {
    const message = 'C10 RegistrationAuthority: RA and six digits, as the list of GLEIF has it'
    found.push(broken('FORMAT', `${path}.registrationAuthority`, message))
  }
  return kind === 'NATURAL' ? found : [...found, ...ofLegal(path, national)]
}

function ofLegal(path: string, national: NonNullable<PersonAt['national']>): Broken[] {
  const name = 'C9 CompleteNationalIdentifierLegalPerson'
  const { nationalIdentifierType, countryOfIssue, registrationAuthority } = national
  const found: Broken[] = []
  if (countryOfIssue !== undefined) {
    const message = `${name}: a legal person has no countryOfIssue`
    found.push(broken('CONFLICT', `${path}.countryOfIssue`, message))
  }
  const isLei = nationalIdentifierType === 'LEIX'
  if (isLei === (registrationAuthority === undefined)) return found
  const message = isLei
    ? `${name}: with LEIX there is no registrationAuthority`
    : `${name}: without LEIX registrationAuthority is needed`
  const code = isLei ? 'CONFLICT' : 'REQUIRED'
  return [...found, broken(code, `${path}.registrationAuthority`, message)]
}

/** What tells an originator from others of the same name. */
function ofOriginator(person: PersonAt): Broken[] {
  const { path, kind, addresses, national, customer, customer_field, birth } = person
  const isNatural = kind === 'NATURAL'
  const located = addresses.some(({ addressType }) => isNatural || addressType === 'GEOG')
  if (located || (national ?? customer ?? birth) !== undefined) return []
  const message = isNatural
    ? 'C1 OriginatorInformationNaturalPerson: geographicAddress, nationalIdentification, ' +
      `${customer_field} or dateAndPlaceOfBirth is needed`
    : 'C4 OriginatorInformationLegalPerson: geographicAddress of type GEOG, ' +
      `nationalIdentification or ${customer_field} is needed`
  return [broken('REQUIRED', path, message)]
}

function ofSequence({ path, sequences }: Parties): Broken[] {
  const inOrder = sequences.toSorted((one, other) => one - other)
  if (inOrder.every((sequence, place) => sequence === place)) return []
  const message = 'C12 SequentialIntegrity: sequence begins at 0 and leaves out none'
  return [broken('RANGE', `${path}.transferPath.transferPath`, message)]
}
