/** Columns of CSV as the service writes it. */
import { Problem } from './problem.ts'

/** The same CSV with these columns alone, each cell as it was written. */
export async function* withColumns(
  pieces: AsyncIterable<string>,
  chosen: readonly string[],
): AsyncGenerator<string> {
  let places: number[] | undefined
  for await (const cells of recordsIn(pieces)) {
    places ??= chosen.map((name) => {
      const place = cells.indexOf(name)
      if (place === -1) throw new Problem('usage', unknownColumn(name, cells))
      return place
    })
    yield `${places.map((place) => cells[place] ?? '').join(',')}\r\n`
  }
}

export const unknownColumn = (name: string, known: readonly string[]): string =>
  `there is no column ${name}: there are ${known.join(', ')}`

/** Cells keep their quotes. */
async function* recordsIn(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let cells: string[] = []
  let cell = ''
  let quoted = false
  for await (const piece of pieces)
    for (const character of piece) {
      if (character === '"') quoted = !quoted
      if (quoted || ![',', '\r', '\n'].includes(character)) cell += character
      else if (character !== '\r') {
        cells.push(cell)
        cell = ''
      }
      if (character !== '\n' || quoted) continue
      yield cells
      cells = []
    }
  if (cell !== '') yield [...cells, cell]
}
