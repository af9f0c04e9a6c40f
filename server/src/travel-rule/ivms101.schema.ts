/**
 * Who sends coins and who gets them, as the interVASP Data Model Standard has it: IVMS 101 of 2020
 * (Issue 1) and IVMS101.2023. Only its elements, under its names. Lengths and codes as the public
 * types have them: github.com/trisacrypto/trisa, pkg/ivms101 and proto/ivms101, for 2020;
 * github.com/TransactionAuthorizationProtocol/ivms101 for what 2023 renames.
 */
import { closed, dateText, integer, oneOf, optional, requiredText, Type } from '../http/index.ts'
import type { Static, TSchema } from '../http/index.ts'

const NATURAL_NAME_TYPES = ['ALIA', 'BIRT', 'MAID', 'LEGL', 'MISC'] as const
const LEGAL_NAME_TYPES = ['LEGL', 'SHRT', 'TRAD'] as const
const ADDRESS_TYPES = ['HOME', 'BIZZ', 'GEOG'] as const
const NATURAL_IDENTIFIERS = [
  'ARNU',
  'CCPT',
  'RAID',
  'DRLC',
  'FIIN',
  'TXID',
  'SOCS',
  'IDCD',
  'LEIX',
  'MISC',
] as const
/** ValidNationalIdentifierLegalPerson. */
const LEGAL_IDENTIFIERS = ['RAID', 'MISC', 'LEIX', 'TXID'] as const
const TRANSLITERATIONS = [
  'arab',
  'aran',
  'armn',
  'cyrl',
  'deva',
  'geor',
  'grek',
  'hani',
  'hebr',
  'kana',
  'kore',
  'thai',
  'othr',
] as const

/** The standard limits address lines alone; the others are ours, so that a request has an end. */
const MOST = { persons: 10, accounts: 20, names: 5, addresses: 5, lines: 7, hops: 5 } as const

const some = <S extends TSchema>(schema: S, maxItems: number) => Type.Array(schema, { maxItems })
const oneOrMore = <S extends TSchema>(schema: S, maxItems: number) =>
  Type.Array(schema, { minItems: 1, maxItems })

/** ISO 3166-1 alpha-2, or XX; constraints.ts knows which there are. */
const country = () =>
  Type.String({
    pattern: '^[A-Z]{2}$',
    maxLength: 2,
    'x-form': 'must be the two capital letters of a country, or XX',
    description: 'Or XX',
  })

const Address = closed(
  {
    addressType: oneOf(ADDRESS_TYPES),
    department: optional(requiredText(50)),
    subDepartment: optional(requiredText(70)),
    streetName: optional(requiredText(70)),
    buildingNumber: optional(requiredText(16)),
    buildingName: optional(requiredText(35)),
    floor: optional(requiredText(70)),
    postBox: optional(requiredText(16)),
    room: optional(requiredText(70)),
    postCode: optional(requiredText(16)),
    townName: requiredText(35),
    townLocationName: optional(requiredText(35)),
    districtName: optional(requiredText(35)),
    countrySubDivision: optional(requiredText(35)),
    addressLine: optional(some(requiredText(70), MOST.lines)),
    country: country(),
  },
  { title: 'Ivms101Address' },
)
export type Address = Static<typeof Address>

const addresses = () => optional(some(Address, MOST.addresses))

const nationalIdentification = <const Types extends readonly string[]>(types: Types) =>
  closed({
    nationalIdentifier: requiredText(35),
    nationalIdentifierType: oneOf(types),
    countryOfIssue: optional(country()),
    registrationAuthority: optional(requiredText(8, 'A code of the list of GLEIF: RA and digits')),
  })

const birth = () =>
  optional(closed({ dateOfBirth: dateText('YYYY-MM-DD'), placeOfBirth: requiredText(70) }))

const customerNumber = () => optional(requiredText(50))
const accounts = () => optional(some(requiredText(100), MOST.accounts))

const LegalName = closed({
  legalPersonName: requiredText(100),
  legalPersonNameIdentifierType: oneOf(LEGAL_NAME_TYPES),
})
const namesOf = <S extends TSchema>(name: S) =>
  closed({
    nameIdentifier: oneOrMore(name, MOST.names),
    localNameIdentifier: optional(some(name, MOST.names)),
    phoneticNameIdentifier: optional(some(name, MOST.names)),
  })

const legalParts = {
  name: namesOf(LegalName),
  geographicAddress: addresses(),
  nationalIdentification: optional(nationalIdentification(LEGAL_IDENTIFIERS)),
  countryOfRegistration: optional(country()),
}
const naturalParts = {
  geographicAddress: addresses(),
  nationalIdentification: optional(nationalIdentification(NATURAL_IDENTIFIERS)),
  customerIdentification: customerNumber(),
  dateAndPlaceOfBirth: birth(),
  countryOfResidence: optional(country()),
}

const naturalName = { primaryIdentifier: requiredText(100) }
const secondName = { secondaryIdentifier: optional(requiredText(100)) }

const Person2020 = closed(
  {
    naturalPerson: optional(
      closed({
        name: namesOf(
          closed({ ...naturalName, ...secondName, nameIdentifierType: oneOf(NATURAL_NAME_TYPES) }),
        ),
        ...naturalParts,
      }),
    ),
    legalPerson: optional(closed({ ...legalParts, customerNumber: customerNumber() })),
  },
  { title: 'Ivms101Person2020' },
)
export type Person2020 = Static<typeof Person2020>

const Person2023 = closed(
  {
    naturalPerson: optional(
      closed({
        name: namesOf(
          closed({
            ...naturalName,
            ...secondName,
            naturalPersonNameIdentifierType: oneOf(NATURAL_NAME_TYPES),
          }),
        ),
        ...naturalParts,
      }),
    ),
    legalPerson: optional(closed({ ...legalParts, customerIdentification: customerNumber() })),
  },
  { title: 'Ivms101Person2023' },
)
export type Person2023 = Static<typeof Person2023>

const providersOf = <S extends TSchema>(Person: S) => ({
  originatingVASP: optional(closed({ originatingVASP: optional(Person) })),
  beneficiaryVASP: optional(closed({ beneficiaryVASP: optional(Person) })),
  transferPath: optional(
    closed({
      transferPath: some(
        closed({ intermediaryVASP: Person, sequence: integer(0, MOST.hops) }),
        MOST.hops,
      ),
    }),
  ),
})
const transliterationMethod = () => optional(some(oneOf(TRANSLITERATIONS), TRANSLITERATIONS.length))

export const Ivms101Of2020 = closed(
  {
    originator: closed({
      originatorPersons: oneOrMore(Person2020, MOST.persons),
      accountNumber: accounts(),
    }),
    beneficiary: closed({
      beneficiaryPersons: oneOrMore(Person2020, MOST.persons),
      accountNumber: accounts(),
    }),
    ...providersOf(Person2020),
    payloadMetadata: optional(closed({ transliterationMethod: transliterationMethod() })),
  },
  { title: 'Ivms101Of2020', description: 'IVMS 101, Issue 1 of 2020' },
)
export type Ivms101Of2020 = Static<typeof Ivms101Of2020>

const Originator2023 = closed({
  originatorPerson: oneOrMore(Person2023, MOST.persons),
  accountNumber: accounts(),
})
const Beneficiary2023 = closed({
  beneficiaryPerson: oneOrMore(Person2023, MOST.persons),
  accountNumber: accounts(),
})
export const Ivms101Of2023 = closed(
  {
    originator: Originator2023,
    beneficiary: Beneficiary2023,
    ...providersOf(Person2023),
    payloadMetadata: closed({
      transliterationMethod: transliterationMethod(),
      payloadVersion: oneOf(['101.2023']),
    }),
  },
  { title: 'Ivms101Of2023', description: 'IVMS101.2023' },
)
export type Ivms101Of2023 = Static<typeof Ivms101Of2023>

/** What is known already, in the form of 2023: not yet all that the standard wants. */
export const Ivms101Draft = closed(
  { originator: optional(Originator2023), beneficiary: optional(Beneficiary2023) },
  { title: 'Ivms101Draft' },
)
export type Ivms101Draft = Static<typeof Ivms101Draft>
