/** Whether movements are screened, and with which lists of sanctions. */
import { closed, flag, oneOf, Type } from '../http/index.ts'

export const SCREENING_LISTS = ['OFAC_SDN', 'OFAC_CONSOLIDATED', 'EU_CONSOLIDATED'] as const

export const screeningSchema = closed(
  {
    withdrawals: flag('Withdrawals are screened before they are sent'),
    deposits: flag('Deposits are screened before they are assigned'),
    lists: Type.Array(oneOf(SCREENING_LISTS), {
      uniqueItems: true,
      minItems: 1,
      maxItems: SCREENING_LISTS.length,
      description: 'All of them have to be loaded: until then what is screened waits',
    }),
  },
  { title: 'ScreeningSettings', description: 'What is screened, and with which sanctions lists' },
)
