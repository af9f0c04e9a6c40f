import { nameOf } from './matrix.ts'
import type { Result } from './row-run.ts'

const COLUMNS = ['fault', 'flow', 'state', 'asked', 'effects', 'hold', 'books = venues'] as const

/**
 * Fault × flow × outcome; rows that ended alike under kills of the same flow stand as one line
 * unless one is wrong.
 */
export function tableOf(results: readonly Result[]): string {
  const lines = results.map(({ row, outcome, wrong }) => [
    nameOf(row),
    row.flow.name,
    outcome?.state ?? 'NO END',
    outcome === undefined || outcome.asked === null ? '–' : `${outcome.asked}×`,
    `${outcome?.effects ?? '?'}×`,
    outcome?.hold ?? '?',
    wrong.length === 0 ? 'right' : 'WRONG',
  ])
  const widths = COLUMNS.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  )
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [text(COLUMNS), ...lines.map(text)].join('\n')
}
