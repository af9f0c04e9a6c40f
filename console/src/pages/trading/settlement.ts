import type { RowOf } from '../../list/work-list.tsx'

export type Settlement = RowOf<'/settlements'>
export type Part = Settlement['parts'][number]
export type PartRow = Part & { settlement: Settlement }
