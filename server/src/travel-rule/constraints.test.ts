/** Both versions are held to the same constraints, and each is named by what breaks it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { brokenConstraints } from './constraints.ts'
import { missingIn } from './data.ts'
import { dataOf2020, dataOf2023 } from './ivms101.testing.ts'
import type { Ivms101Of2020, Ivms101Of2023 } from './ivms101.schema.ts'
import { partiesOf } from './parties.ts'
import type { Given } from './parties.ts'

const TODAY = '2026-12-01'
const SEED = 20_261_201
const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'

const country = fc.constantFrom('DE', 'FR', 'XX', 'ZZ', 'UK')
const address = fc.record(
  {
    addressType: fc.constantFrom('HOME' as const, 'BIZZ' as const, 'GEOG' as const),
    streetName: fc.constant('Street'),
    buildingNumber: fc.constant('1'),
    buildingName: fc.constant('House'),
    addressLine: fc.constantFrom([], ['Street 1']),
    townName: fc.constant('Berlin'),
    country,
  },
  { requiredKeys: ['addressType', 'townName', 'country'] },
)
const national = fc.record(
  {
    nationalIdentifier: fc.constantFrom('529900T8BM49AURSDO55', '4711', '529900t8bm49aursdo55'),
    nationalIdentifierType: fc.constantFrom('RAID', 'MISC', 'LEIX', 'TXID'),
    countryOfIssue: country,
    registrationAuthority: fc.constantFrom('RA000001', 'RA1', 'XX'),
  },
  { requiredKeys: ['nationalIdentifier', 'nationalIdentifierType'] },
)
const person = fc.record({
  legal: fc.boolean(),
  both: fc.constantFrom(false, false, false, true),
  name: fc.constantFrom('LEGL', 'MISC', 'SHRT'),
  geographicAddress: fc.option(fc.array(address, { maxLength: 2 }), { nil: undefined }),
  nationalIdentification: fc.option(national, { nil: undefined }),
  customer: fc.option(fc.constant('4711'), { nil: undefined }),
  born: fc.option(fc.constantFrom('1980-02-29', '1981-02-29', TODAY, '2027-01-01'), {
    nil: undefined,
  }),
  country: fc.option(country, { nil: undefined }),
})
type Person = typeof person extends fc.Arbitrary<infer T> ? T : never
const transfer = fc.record({
  originators: fc.array(person, { minLength: 1, maxLength: 2 }),
  beneficiaries: fc.array(person, { minLength: 1, maxLength: 2 }),
  provider: fc.option(person, { nil: undefined }),
  hops: fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
})
type Transfer = typeof transfer extends fc.Arbitrary<infer T> ? T : never

function written(one: Person, is2020: boolean): object {
  const type = is2020 ? 'nameIdentifierType' : 'naturalPersonNameIdentifierType'
  const { geographicAddress, nationalIdentification, customer, born } = one
  const shared = { geographicAddress, nationalIdentification }
  const naturalPerson = {
    name: { nameIdentifier: [{ primaryIdentifier: 'A', [type]: one.name }] },
    ...shared,
    customerIdentification: customer,
    dateAndPlaceOfBirth: born && { dateOfBirth: born, placeOfBirth: 'Berlin' },
    countryOfResidence: one.country,
  }
  const legalPerson = {
    name: {
      nameIdentifier: [{ legalPersonName: 'A', legalPersonNameIdentifierType: one.name }],
    },
    ...shared,
    [is2020 ? 'customerNumber' : 'customerIdentification']: customer,
    countryOfRegistration: one.country,
  }
  if (one.both) return { naturalPerson, legalPerson }
  return one.legal ? { legalPerson } : { naturalPerson }
}

function payload({ originators, beneficiaries, provider, hops }: Transfer, is2020: boolean): Given {
  const persons = (list: readonly Person[]) => list.map((one) => written(one, is2020))
  const s = is2020 ? 's' : ''
  const data = {
    originator: { [`originatorPerson${s}`]: persons(originators) },
    beneficiary: { [`beneficiaryPerson${s}`]: persons(beneficiaries) },
    originatingVASP: provider && { originatingVASP: written(provider, is2020) },
    transferPath: {
      transferPath: hops.map((sequence) => ({ sequence, intermediaryVASP: sound })),
    },
  }
  return is2020
    ? { ivms101_2020: data as unknown as Ivms101Of2020 }
    : { ivms101_2023: data as unknown as Ivms101Of2023 }
}
const sound = {
  legalPerson: {
    name: { nameIdentifier: [{ legalPersonName: 'A', legalPersonNameIdentifierType: 'LEGL' }] },
  },
}

const named = (given: Given) => brokenConstraints(partiesOf(given), TODAY)

/** The texts of the standard, written again person by person. */
function expected({ originators, beneficiaries, provider, hops }: Transfer): string[] {
  const found: string[] = []
  const all = [...originators, ...beneficiaries, ...[provider ?? []].flat()]
  for (const one of all) found.push(...expectedOf(one))
  for (const one of originators.filter(({ both }) => !both)) {
    const placed = one.geographicAddress?.some((at) => !one.legal || at.addressType === 'GEOG')
    const told = placed || one.nationalIdentification || one.customer || (!one.legal && one.born)
    if (!told) found.push(one.legal ? 'C4' : 'C1')
  }
  if (!hops.toSorted().every((hop, place) => hop === place)) found.push('C12')
  return found.toSorted()
}

function expectedOf(one: Person): string[] {
  if (one.both) return ['Person']
  const found: string[] = []
  const ofCountry = (code: string | undefined) => {
    if (code === 'ZZ' || code === 'UK') found.push('country')
  }
  if (one.name !== 'LEGL') found.push(one.legal ? 'C5' : 'C6')
  if (!one.legal && one.born !== undefined && one.born !== '1980-02-29') found.push('C2')
  ofCountry(one.country)
  for (const at of one.geographicAddress ?? []) {
    ofCountry(at.country)
    const named = at.streetName && (at.buildingName || at.buildingNumber)
    if (!named && !(at.addressLine?.length ?? 0)) found.push('C8')
  }
  const id = one.nationalIdentification
  if (id === undefined) return found
  ofCountry(id.countryOfIssue)
  const isLei = id.nationalIdentifierType === 'LEIX'
  if (isLei && id.nationalIdentifier !== '529900T8BM49AURSDO55') found.push('C11')
  const authority = id.registrationAuthority
  if (authority !== undefined && authority !== 'RA000001') found.push('C10')
  if (!one.legal) return found
  if (id.countryOfIssue !== undefined) found.push('C9')
  if (isLei === (authority !== undefined)) found.push('C9')
  return found
}

const nameOf = (message: string): string =>
  /^(C\d+|Person)\b/.exec(message)?.[1] ?? (message.includes('no country') ? 'country' : message)

describe('the constraints of IVMS 101', () => {
  it('are those of the standard, the same in both versions', () => {
    fc.assert(
      fc.property(transfer, (one) => {
        const [of2020, of2023] = [named(payload(one, true)), named(payload(one, false))]
        assert.deepEqual(of2020.map(({ message }) => nameOf(message)).toSorted(), expected(one))
        assert.deepEqual(
          of2020.map(({ code }) => code),
          of2023.map(({ code }) => code),
        )
        for (const { path } of of2023) assert.match(path, /^ivms101_2023\./)
      }),
      { seed: SEED, numRuns: 2_000 },
    )
  })
})

describe('what has to accompany coins', () => {
  const record = (given: { ivms101_2020?: Ivms101Of2020; ivms101_2023?: Ivms101Of2023 }) =>
    missingIn({ ivms101_2020: null, ivms101_2023: null, ...given } as never, ADDRESS)

  it('is there in either version', () => {
    assert.deepEqual(record({ ivms101_2023: dataOf2023(ADDRESS) }), [])
    assert.deepEqual(record({ ivms101_2020: dataOf2020(ADDRESS) }), [])
  })

  it('names what is missing', () => {
    const nobody = missingIn(undefined, ADDRESS)
    assert.deepEqual(nobody, ['the data of originator and beneficiary'])
    const unborn = { dateAndPlaceOfBirth: undefined }
    assert.deepEqual(record({ ivms101_2023: dataOf2023(ADDRESS, unborn) }), [
      'ivms101_2023.originator.originatorPerson[0].naturalPerson: geographicAddress, ' +
        'nationalIdentification (or dateAndPlaceOfBirth)',
    ])
    const [elsewhere] = record({ ivms101_2020: dataOf2020('another address') })
    assert.match(elsewhere ?? '', /beneficiary\.accountNumber with the address bc1q/)
  })
})
