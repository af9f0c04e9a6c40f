/** One action for many rows, as data: what is done with each, and how a person reads it. */
import type { ReactNode } from 'react'
import type { FormField } from '../action/inputs.tsx'
import type { Values } from '../action/plan.ts'
import type { Permission } from '../api/query.ts'
import type { Column } from '../list/columns.tsx'

/** What one write is about: a row, or a record that belongs to one. */
export type Task = { id: string; asset: string; quantity: string }

export type ManyPlan<Row extends { id: string }, One extends Task> = {
  /** A verb, as on the button. */
  label: string
  /** `3 deposits`. */
  counted(count: number): string
  permission: Permission
  danger?: boolean
  /** What the action does. */
  explain: string
  fields?: readonly FormField[]
  /** What is done for these rows: with each itself, or with what belongs to it. */
  tasks(rows: readonly Row[]): readonly One[] | Promise<readonly One[]>
  /** The row that the task belongs to. */
  rowOf?(task: One): string
  /** How a task is told from others: when, how much, whose. */
  columns: readonly Column<One>[]
  /** Why nothing can be done with it; undefined when something can. */
  why?(task: One): string | undefined
  /** What moves, where that is not all of it. */
  amount?(task: One): string
  /** What will happen with it. */
  what(task: One, values: Values): ReactNode
  send(task: One, values: Values): Promise<unknown>
}
