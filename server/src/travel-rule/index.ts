/** Travel-rule data: who sends coins and who gets them, in the form of IVMS 101. */
export { assertGiven, countingData, dataOf, insertData, missingIn } from './data.ts'
export { GiveTravelRuleData, TravelRuleState } from './data.schema.ts'
export type { GiveTravelRuleDataBody } from './data.schema.ts'
export type { Ivms101Draft, Person2023 } from './ivms101.schema.ts'
