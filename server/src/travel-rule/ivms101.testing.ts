/** For tests: data in both versions, whole until a test takes something away. */
import type { Ivms101Of2020, Ivms101Of2023 } from './ivms101.schema.ts'

const birth = { dateOfBirth: '1980-02-29', placeOfBirth: 'Berlin' }
const natural = { primaryIdentifier: 'Number', secondaryIdentifier: 'Bob' }
const shop = {
  name: {
    nameIdentifier: [
      { legalPersonName: 'Example Shop Ltd', legalPersonNameIdentifierType: 'LEGL' as const },
    ],
  },
}

export const dataOf2023 = (address: string, more: object = {}): Ivms101Of2023 => ({
  originator: {
    originatorPerson: [
      {
        naturalPerson: {
          name: {
            nameIdentifier: [{ ...natural, naturalPersonNameIdentifierType: 'LEGL' as const }],
          },
          customerIdentification: '4711',
          dateAndPlaceOfBirth: birth,
          ...more,
        },
      },
    ],
    accountNumber: ['an account of ours'],
  },
  beneficiary: { beneficiaryPerson: [{ legalPerson: shop }], accountNumber: [address] },
  payloadMetadata: { payloadVersion: '101.2023' },
})

export const dataOf2020 = (address: string, more: object = {}): Ivms101Of2020 => ({
  originator: {
    originatorPersons: [
      {
        naturalPerson: {
          name: { nameIdentifier: [{ ...natural, nameIdentifierType: 'LEGL' as const }] },
          customerIdentification: '4711',
          dateAndPlaceOfBirth: birth,
          ...more,
        },
      },
    ],
    accountNumber: ['an account of ours'],
  },
  beneficiary: { beneficiaryPersons: [{ legalPerson: shop }], accountNumber: [address] },
})
