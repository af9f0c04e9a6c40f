/** Screening: lists of sanctions as the operator loads them. */
export { listsEndpoints as screeningEndpoints } from './lists.http.ts'
export { lastVersion, loadList } from './lists.ts'
export type { LoadedList } from './lists.ts'
export { LIST_NAMES } from './lists.schema.ts'
export type { ScreeningList } from './lists.schema.ts'
export { readListFiles } from './read-files.ts'
export type { ListFile } from './read-files.ts'
