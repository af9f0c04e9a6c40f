/** What a customer's record has of the data that travel with coins. */
import type { Customer } from '../../customers/index.ts'
import type { Ivms101Draft, Person2023 } from '../../travel-rule/index.ts'

/** Of a name, and of an account number. */
const MOST_CHARACTERS = 100
const MOST_NUMBER = 50
const MOST_PERSONS = 10

/** A customer record has neither address, nor document, nor birth: they are said to be missing. */
export function draftOf(
  originators: readonly Customer[],
  beneficiary: { customer: Customer | undefined; address: string },
): Ivms101Draft {
  // The name of a joint account is none of a person.
  const known = originators.filter(({ type }) => type !== 'JOINT').slice(0, MOST_PERSONS)
  const accounts = known.map(({ account_id }) => account_id)
  const persons = known.map(personOf)
  const { address } = beneficiary
  const customer = beneficiary.customer?.type === 'JOINT' ? undefined : beneficiary.customer
  const isShort = address.length <= MOST_CHARACTERS
  return {
    ...(persons.length === 0
      ? {}
      : { originator: { originatorPerson: persons, accountNumber: accounts } }),
    ...(customer === undefined
      ? {}
      : {
          beneficiary: {
            beneficiaryPerson: [personOf(customer)],
            ...(isShort ? { accountNumber: [address] } : {}),
          },
        }),
  }
}

function personOf(customer: Customer): Person2023 {
  const { type, first_name, last_name, company_name, foreign_id, id } = customer
  const number = foreign_id !== null && foreign_id.length <= MOST_NUMBER ? foreign_id : id
  if (type === 'INSTITUTION')
    return {
      legalPerson: {
        name: {
          nameIdentifier: [
            {
              legalPersonName: cut(company_name),
              legalPersonNameIdentifierType: 'LEGL',
            },
          ],
        },
        customerIdentification: number,
      },
    }
  return {
    naturalPerson: {
      name: {
        nameIdentifier: [
          {
            primaryIdentifier: cut(last_name),
            ...(first_name === null ? {} : { secondaryIdentifier: cut(first_name) }),
            naturalPersonNameIdentifierType: 'LEGL',
          },
        ],
      },
      customerIdentification: number,
    },
  }
}

const cut = (name: string | null): string => (name ?? '').slice(0, MOST_CHARACTERS)

/** What has to be added to it, beside what nobody but the desk knows. */
export function missingInDraft({ originator, beneficiary }: Ivms101Draft): string[] {
  const persons = originator?.originatorPerson ?? []
  return [
    ...(persons.length === 0 ? ['originator'] : []),
    ...persons.map(({ naturalPerson }, place) => {
      const instead = naturalPerson === undefined ? '' : ' (or dateAndPlaceOfBirth)'
      const fields = `geographicAddress, nationalIdentification${instead}`
      return `originator.originatorPerson[${place}]: ${fields}`
    }),
    ...(beneficiary === undefined ? ['beneficiary'] : []),
  ]
}
