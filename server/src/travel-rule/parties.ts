/** Both versions of IVMS 101 read as one: the persons of a transfer, and where each stands. */
import type {
  Address,
  Ivms101Of2020,
  Ivms101Of2023,
  Person2020,
  Person2023,
} from './ivms101.schema.ts'

/** Exactly one of them is there. */
export type Given = {
  ivms101_2020?: Ivms101Of2020 | undefined
  ivms101_2023?: Ivms101Of2023 | undefined
}

type NationalIdentification = {
  nationalIdentifier: string
  nationalIdentifierType: string
  countryOfIssue?: string | undefined
  registrationAuthority?: string | undefined
}

export type PersonAt = {
  /** Of the element that says which kind of person it is. */
  path: string
  kind: 'NATURAL' | 'LEGAL'
  name_types: readonly string[]
  addresses: readonly Address[]
  national: NationalIdentification | undefined
  customer: string | undefined
  /** How the version calls it. */
  customer_field: 'customerIdentification' | 'customerNumber'
  birth: { dateOfBirth: string; placeOfBirth: string } | undefined
  /** Of residence or registration. */
  country: { field: string; code: string | undefined }
}

/** A person, of which kind however many there are: the standard wants one. */
export type Slot = { path: string; kinds: readonly PersonAt[] }

export type Parties = {
  originators: readonly Slot[]
  beneficiaries: readonly Slot[]
  /** The providers, in no particular order. */
  providers: readonly Slot[]
  originator_accounts: readonly string[]
  beneficiary_accounts: readonly string[]
  sequences: readonly number[]
  path: string
}

export function partiesOf({ ivms101_2020, ivms101_2023 }: Given): Parties {
  if (ivms101_2023 !== undefined)
    return read(ivms101_2023, slot2023, {
      path: 'ivms101_2023',
      originators: ['originatorPerson', ivms101_2023.originator.originatorPerson],
      beneficiaries: ['beneficiaryPerson', ivms101_2023.beneficiary.beneficiaryPerson],
    })
  if (ivms101_2020 === undefined) throw new Error('data of one version are given')
  return read(ivms101_2020, slot2020, {
    path: 'ivms101_2020',
    originators: ['originatorPersons', ivms101_2020.originator.originatorPersons],
    beneficiaries: ['beneficiaryPersons', ivms101_2020.beneficiary.beneficiaryPersons],
  })
}

type Party = { accountNumber?: string[] | undefined }
type Payload<Person> = {
  originator: Party
  beneficiary: Party
  originatingVASP?: { originatingVASP?: Person | undefined } | undefined
  beneficiaryVASP?: { beneficiaryVASP?: Person | undefined } | undefined
  transferPath?: { transferPath: { intermediaryVASP: Person; sequence: number }[] } | undefined
}
type Named<Person> = {
  path: string
  originators: readonly [string, readonly Person[]]
  beneficiaries: readonly [string, readonly Person[]]
}

function read<Person>(
  payload: Payload<Person>,
  slot: (path: string, person: Person) => Slot,
  { path, originators, beneficiaries }: Named<Person>,
): Parties {
  const hops = payload.transferPath?.transferPath ?? []
  const provider = (name: string, person: Person | undefined): Slot[] =>
    person === undefined ? [] : [slot(`${path}.${name}.${name}`, person)]
  const persons = (party: string, [field, list]: readonly [string, readonly Person[]]) =>
    list.map((person, place) => slot(`${path}.${party}.${field}[${place}]`, person))
  return {
    path,
    originators: persons('originator', originators),
    beneficiaries: persons('beneficiary', beneficiaries),
    providers: [
      ...provider('originatingVASP', payload.originatingVASP?.originatingVASP),
      ...provider('beneficiaryVASP', payload.beneficiaryVASP?.beneficiaryVASP),
      ...hops.map(({ intermediaryVASP }, place) =>
        slot(`${path}.transferPath.transferPath[${place}].intermediaryVASP`, intermediaryVASP),
      ),
    ],
    originator_accounts: payload.originator.accountNumber ?? [],
    beneficiary_accounts: payload.beneficiary.accountNumber ?? [],
    sequences: hops.map(({ sequence }) => sequence),
  }
}

const slot2020 = (path: string, { naturalPerson, legalPerson }: Person2020): Slot => ({
  path,
  kinds: [
    ...naturalAt(path, naturalPerson, (name) => name.nameIdentifierType),
    ...legalAt(path, legalPerson, {
      customer: legalPerson?.customerNumber,
      customer_field: 'customerNumber',
    }),
  ],
})

const slot2023 = (path: string, { naturalPerson, legalPerson }: Person2023): Slot => ({
  path,
  kinds: [
    ...naturalAt(path, naturalPerson, (name) => name.naturalPersonNameIdentifierType),
    ...legalAt(path, legalPerson, {
      customer: legalPerson?.customerIdentification,
      customer_field: 'customerIdentification',
    }),
  ],
})

type Natural<Name> = {
  name: { nameIdentifier: Name[] }
  geographicAddress?: Address[] | undefined
  nationalIdentification?: NationalIdentification | undefined
  customerIdentification?: string | undefined
  dateAndPlaceOfBirth?: PersonAt['birth']
  countryOfResidence?: string | undefined
}

const naturalAt = <Name>(
  path: string,
  person: Natural<Name> | undefined,
  typeOf: (name: Name) => string,
): PersonAt[] =>
  person === undefined
    ? []
    : [
        {
          path: `${path}.naturalPerson`,
          kind: 'NATURAL',
          name_types: person.name.nameIdentifier.map(typeOf),
          addresses: person.geographicAddress ?? [],
          national: person.nationalIdentification,
          customer: person.customerIdentification,
          customer_field: 'customerIdentification',
          birth: person.dateAndPlaceOfBirth,
          country: { field: 'countryOfResidence', code: person.countryOfResidence },
        },
      ]

const legalAt = (
  path: string,
  person: Omit<NonNullable<Person2020['legalPerson']>, 'customerNumber'> | undefined,
  customer: Pick<PersonAt, 'customer' | 'customer_field'>,
): PersonAt[] =>
  person === undefined
    ? []
    : [
        {
          path: `${path}.legalPerson`,
          kind: 'LEGAL',
          name_types: person.name.nameIdentifier.map((name) => name.legalPersonNameIdentifierType),
          addresses: person.geographicAddress ?? [],
          national: person.nationalIdentification,
          ...customer,
          birth: undefined,
          country: { field: 'countryOfRegistration', code: person.countryOfRegistration },
        },
      ]
