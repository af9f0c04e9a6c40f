/** Screening: lists of sanctions as the operator loads them, and what is found with them. */
export {
  caseRow,
  CASE_COLUMNS,
  CASES,
  decidedCase,
  heldCaseState,
  openCaseOf,
  SCREENING_COLUMNS,
  screenMovement,
} from './cases.ts'
export type { Screened } from './cases.ts'
export {
  CASE_MOVES,
  CASE_STATES,
  DecideCase,
  ScreeningCaseRecord,
  ScreeningRecord,
} from './cases.schema.ts'
export type { DecideCaseBody, ScreeningCase } from './cases.schema.ts'
export { listsEndpoints as screeningEndpoints } from './lists.http.ts'
export { lastVersion, loadList } from './lists.ts'
export type { LoadedList } from './lists.ts'
export { LIST_NAMES } from './lists.schema.ts'
export type { ScreeningList } from './lists.schema.ts'
export { loadedLists } from './provider.ts'
export { readListFiles } from './read-files.ts'
export type { ListFile } from './read-files.ts'
